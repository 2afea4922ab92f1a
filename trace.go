package starloom

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/decode"
	"starloom/traces/info"
	"starloom/traces/pcapng"
)

// TraceInfo says what is in VCDs and packet captures. Errors about a file are
// *InputError.
func TraceInfo(ctx context.Context, paths []string, o info.Options) (*info.Report, error) {
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

// DecodeReport says what was found in a VCD. Its JSON is stable.
type DecodeReport struct {
	Schema     int               `json:"schema"`
	File       string            `json:"file"`
	Cycles     uint64            `json:"cycles"`
	Interfaces []DecodeInterface `json:"interfaces"` // those with frames
	Lanes      int               `json:"lanes"`      // interfaces of the map that the VCD has
	Frames     uint64            `json:"frames"`
	OK         uint64            `json:"ok"`
	Damaged    uint64            `json:"damaged"`
	Collisions uint64            `json:"collisions"`
	Unknown    uint64            `json:"unknown"` // times that x or z came and was taken for darkness
	Truncated  bool              `json:"truncated,omitempty"`
}

// DecodeInterface is what was found on one interface.
type DecodeInterface struct {
	Name       string `json:"name"`
	Frames     uint64 `json:"frames"`
	OK         uint64 `json:"ok"`
	Damaged    uint64 `json:"damaged"`
	Collisions uint64 `json:"collisions"`
}

// decodeSchema is the version of DecodeReport's JSON.
const decodeSchema = 1

// DecodeOutputs are what TraceDecode writes. Files appear together or not at all.
type DecodeOutputs struct {
	PCAPNG Output // the frames
	Lua    Output // dissector for Wireshark and tshark; beside PCAPNG if that is a file
	JSON   Output // the report
}

// TraceDecode takes frames out of the VCD at path and writes them as a packet capture.
// The packets are in the order of their cycles, those of one cycle in the order of the
// interfaces; a sent frame has the cycle of its first phit, a received one that of
// its last. Nothing is read before the outputs are open. Errors about files and the map
// are *InputError.
func TraceDecode(ctx context.Context, path string, m *DecodeMap, to DecodeOutputs) (*DecodeReport, error) {
	var o outputs
	defer o.abort()
	if !to.PCAPNG.given() {
		to.PCAPNG = Writer(io.Discard)
	}
	packets, err := o.open("--pcapng", "pcapng", to.PCAPNG)
	if err != nil {
		return nil, err
	}
	lua, err := o.open("--pcapng", "lua", to.PCAPNG.beside(to.Lua, ".lua"))
	if err != nil {
		return nil, err
	}
	if lua != nil {
		if err := nic.WriteDissector(lua); err != nil {
			return nil, err
		}
	}
	figures, err := o.open("--json", "json", to.JSON)
	if err != nil {
		return nil, err
	}
	report, err := decodeTrace(ctx, path, m, packets)
	if err != nil {
		return nil, err
	}
	if figures != nil {
		if err := report.WriteJSON(figures); err != nil {
			return nil, err
		}
	}
	return report, o.files.Commit()
}

func decodeTrace(ctx context.Context, path string, m *DecodeMap, out io.Writer) (*DecodeReport, error) {
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
	d.report = DecodeReport{Schema: decodeSchema, File: path, Lanes: len(in.Names), Interfaces: []DecodeInterface{}}
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
	m          *DecodeMap
	out        *pcapng.Writer
	report     DecodeReport
	interfaces map[string]int // index into the report's interfaces
}

func (d *decoding) frame(f *nic.DecodedFrame) error {
	rule := d.in.Rules[f.Lane]
	name := d.in.Names[f.Lane]
	if ports := d.m.Ports[rule]; ports != 0 && f.Port == hw.PortAll {
		for port := range uint64(ports) {
			if err := d.packet(f, rule, decode.PortName(name, port)); err != nil {
				return err
			}
		}
		return nil
	}
	return d.packet(f, rule, decode.PortName(name, f.Port))
}

func (d *decoding) packet(f *nic.DecodedFrame, rule int, name string) error {
	id, err := d.out.Interface(name)
	if err != nil {
		return &InputError{Place: d.m.Options.Lanes[rule].Place, Reason: err.Error(), Remedy: "give the interface another name"}
	}
	direction, cycle := pcapng.Sent, f.First
	if d.m.Framings[rule].Received {
		direction, cycle = pcapng.Received, f.Last
	}
	d.count(name, f.Status)
	return d.out.Packet(id, direction, uint8(f.Status), f.Slot, cycle, f.Bytes)
}

func (d *decoding) count(name string, status nic.Status) {
	i, ok := d.interfaces[name]
	if !ok {
		i = len(d.report.Interfaces)
		d.interfaces[name] = i
		d.report.Interfaces = append(d.report.Interfaces, DecodeInterface{Name: name})
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

// WriteJSON writes the report as JSON.
func (r *DecodeReport) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteText writes the report for people.
func (r *DecodeReport) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, r.File)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  cycles\t%d\n", r.Cycles)
	fmt.Fprintf(t, "  interfaces\t%d in the waveform, %d in the capture\n", r.Lanes, len(r.Interfaces))
	fmt.Fprintf(t, "  frames\t%d: %d ok, %d damaged, %d collided\n", r.Frames, r.OK, r.Damaged, r.Collisions)
	if r.Unknown > 0 {
		fmt.Fprintf(t, "  note\tx or z came on valid, ready or a rail %s and was taken for no phit\n", traces.Plural(r.Unknown, "time", "times"))
	}
	if r.Truncated {
		fmt.Fprintf(t, "  note\tthe file ends within a line, which is left out\n")
	}
	_ = t.Flush() // into a strings.Builder
	_, err := io.WriteString(w, b.String())
	return err
}
