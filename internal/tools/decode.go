package tools

import (
	"context"
	"io"
	"path/filepath"

	"starloom/hw"
	"starloom/internal/maps"
	"starloom/nic"
	"starloom/traces/decode"
	"starloom/traces/info"
	"starloom/traces/input"
	"starloom/traces/pcapng"
)

// Decode writes the frames of the waveform at path as a packet capture, sorted by cycle, then by interface.
func Decode(ctx context.Context, path string, m *maps.Decode, out io.Writer) (*decode.Report, error) {
	in, err := decode.Open(path, m.Options)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	link := pcapng.LinkTypeUser0
	if m.Octets {
		link = map[string]pcapng.LinkType{"raw": pcapng.LinkTypeRaw, "ethernet": pcapng.LinkTypeEthernet}[m.Form.Name]
	}
	packets, err := pcapng.NewFrameWriter(out, "decoded from "+filepath.Base(in.Name()), link)
	if err != nil {
		return nil, err
	}
	d := decoding{in: in, m: m, out: packets, interfaces: map[string]int{}}
	d.report = decode.Report{Schema: decode.Schema, File: in.Name(), Lanes: len(in.Names),
		Interfaces: []decode.Interface{}}
	read := d.readFrames
	if m.Octets {
		read = d.readOctets
	}
	if err := read(ctx); err != nil {
		return nil, err
	}
	if err := packets.Close(); err != nil {
		return nil, err
	}
	d.report.Cycles, d.report.Unknown, d.report.Truncated = in.Cycles, in.Unknown, in.Truncated()
	return &d.report, nil
}

func (d *decoding) readOctets(ctx context.Context) error {
	framer := decode.NewFramer(d.in, d.m.Form, d.octets)
	if err := d.in.Run(ctx, framer.Put); err != nil {
		return err
	}
	return framer.Flush()
}

// octets writes a frame of bytes as one packet. An empty frame is only counted.
func (d *decoding) octets(f *decode.Frame) error {
	name := d.in.Names[f.Lane]
	status := nic.StatusOK
	if f.Fault != "" {
		status = nic.StatusCRC
		d.fault(f)
	}
	d.count(name, status)
	if len(f.Bytes) == 0 {
		return nil
	}
	id, err := d.out.Interface(name)
	if err != nil {
		return input.Mistake(d.m.Options.Lanes[d.in.Rules[f.Lane]].Place, err.Error(), "give the interface another name")
	}
	return d.out.Frame(id, f.Cycle, f.Bytes)
}

func (d *decoding) fault(f *decode.Frame) {
	for i := range d.report.Faults {
		if d.report.Faults[i].What == f.Fault {
			d.report.Faults[i].Frames++
			return
		}
	}
	d.report.Faults = append(d.report.Faults, decode.Fault{What: f.Fault, Frames: 1, Cycle: f.Cycle})
}

func (d *decoding) readFrames(ctx context.Context) error {
	in, m := d.in, d.m
	framings := make([]nic.Framing, len(in.Names))
	for i, rule := range in.Rules {
		framings[i] = m.Framings[rule]
	}
	decoder := nic.NewDecoder(framings, d.frame)
	err := in.Run(ctx, func(id decode.LaneID, cycle uint64, p decode.Phit) { decoder.Put(int(id), cycle, p) })
	if err != nil {
		return err
	}
	return decoder.Flush()
}

type decoding struct {
	in         *decode.Reader
	m          *maps.Decode
	out        *pcapng.Writer
	report     decode.Report
	interfaces map[string]int // index in the report's interfaces, by name
}

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

// packet writes a frame. A sent frame has the cycle of its first phit, a received frame the cycle of its last phit.
func (d *decoding) packet(f *nic.DecodedFrame, rule int, name string, port uint64) error {
	h := pcapng.Header{Direction: pcapng.Sent, Port: pcapng.PortNone, Slot: f.Slot, Cycle: f.First}
	if d.m.Options.Lanes[rule].Port != "" && port < hw.PortsMax {
		h.Port = uint16(port)
	}
	name = decode.PortName(name, port)
	id, err := d.out.Interface(name)
	if err != nil {
		return input.Mistake(d.m.Options.Lanes[rule].Place, err.Error(), "give the interface another name")
	}
	if d.m.Framings[rule].Received {
		h.Direction, h.Status, h.Cycle = pcapng.Received, uint8(f.Status), f.Last
	}
	d.count(name, f.Status)
	return d.out.Packet(id, &h, f.Bytes)
}

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

// Info describes VCDs and packet captures. Errors about a file are *input.Error.
func Info(ctx context.Context, paths []string, o info.Options) (*info.Report, error) {
	o.StatusNames, o.Interrupted = nic.StatusNames, ctx.Err
	all := &info.Report{Schema: info.Schema}
	for _, path := range paths {
		file, err := info.Read(path, o)
		if err != nil {
			return nil, err
		}
		all.Files = append(all.Files, *file)
	}
	return all, nil
}
