package tools

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"starloom/hw"
	"starloom/internal/maps"
	"starloom/nic"
	"starloom/traces/decode"
	"starloom/traces/input"
	"starloom/traces/pcapng"
)

// Decode takes frames out of the VCD at path and writes them as a packet capture, in the order of
// their cycles, those of one cycle in the order of the interfaces.
func Decode(ctx context.Context, path string, m *maps.Decode, out io.Writer) (*decode.Report, error) {
	in, err := decode.Open(path, m.Options)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	packets, err := pcapng.NewWriter(out, "decoded from "+filepath.Base(path))
	if err != nil {
		return nil, err
	}
	d := decoding{in: in, m: m, out: packets, interfaces: map[string]int{}}
	d.report = decode.Report{Schema: decode.Schema, File: path, Lanes: len(in.Names), Interfaces: []decode.Interface{}}
	framings := make([]nic.Framing, len(in.Names))
	for i, rule := range in.Rules {
		framings[i] = m.Framings[rule]
	}
	decoder := nic.NewDecoder(framings, d.frame)
	err = in.Run(ctx, func(id decode.LaneID, cycle uint64, p decode.Phit) { decoder.Put(int(id), cycle, p) })
	if err != nil {
		return nil, err
	}
	if err := errors.Join(decoder.Flush(), packets.Close()); err != nil {
		return nil, err
	}
	d.report.Cycles, d.report.Unknown, d.report.Truncated = in.Cycles, in.Unknown, in.Truncated()
	return &d.report, nil
}

// decoding writes frames as packets.
type decoding struct {
	in         *decode.Reader
	m          *maps.Decode
	out        *pcapng.Writer
	report     decode.Report
	interfaces map[string]int // index into the report's interfaces
}

// frame writes a frame as one packet, or as one for each port that it went to.
func (d *decoding) frame(f *nic.DecodedFrame) error {
	rule := d.in.Rules[f.Lane]
	name := d.in.Names[f.Lane]
	if ports := d.m.Ports[rule]; ports != 0 && f.Port == hw.PortAll {
		for port := range uint64(ports) {
			if err := d.packet(f, rule, name, port); err != nil {
				return err
			}
		}
		return nil
	}
	return d.packet(f, rule, name, f.Port)
}

// packet writes a frame: a sent one has the cycle of its first phit, a received one that of its last.
func (d *decoding) packet(f *nic.DecodedFrame, rule int, name string, port uint64) error {
	h := pcapng.Header{Direction: pcapng.Sent, Port: pcapng.PortNone, Slot: f.Slot, Cycle: f.First}
	if d.m.Options.Lanes[rule].Port != "" && port < hw.PortsMax {
		h.Port = uint16(port)
	}
	name = decode.PortName(name, port)
	id, err := d.out.Interface(name)
	if err != nil {
		return &input.Error{Place: d.m.Options.Lanes[rule].Place, Reason: err.Error(), Remedy: "give the interface another name"}
	}
	if d.m.Framings[rule].Received {
		h.Direction, h.Status, h.Cycle = pcapng.Received, uint8(f.Status), f.Last
	}
	d.count(name, f.Status)
	return d.out.Packet(id, &h, f.Bytes)
}

// count counts a frame by what became of it.
func (d *decoding) count(name string, status nic.Status) {
	i, ok := d.interfaces[name]
	if !ok {
		i = len(d.report.Interfaces)
		d.interfaces[name] = i
		d.report.Interfaces = append(d.report.Interfaces, decode.Interface{Name: name})
	}
	at := &d.report.Interfaces[i]
	at.Frames++
	d.report.Frames++
	switch status {
	case nic.StatusOK:
		at.OK++
		d.report.OK++
	case nic.StatusCollision:
		at.Collisions++
		d.report.Collisions++
	default:
		at.Damaged++
		d.report.Damaged++
	}
}
