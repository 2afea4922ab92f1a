package verilator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"starloom/cosim"
)

type seen struct {
	kept          cosim.KeptLog
	shown, traced io.Writer // writers for the output of the current call and for the waveform; nil discards the data
	points        []cosim.Point
	counts        []uint32
}

func show(ctx context.Context, m api.Module, stack []uint64) {
	d := ctx.Value(deviceKey{}).(*wasmDevice)
	text, ok := m.Memory().Read(uint32(stack[0]), uint32(stack[1]))
	if !ok {
		panic("the visible signals of the circuit are not in its memory")
	}
	if d.shown != nil {
		_, _ = d.shown.Write(text)
	}
}

func (d *wasmDevice) showing(w io.Writer, name string, arguments ...uint64) error {
	function := d.module.ExportedFunction(name)
	if function == nil {
		return cosim.ErrUnseen
	}
	d.turns.rounds = 0
	d.shown = w
	_, err := function.Call(d.ctx, append([]uint64{d.self}, arguments...)...)
	d.shown = nil
	if err != nil {
		return d.ended(err)
	}
	return nil
}

// Trace, Dump, EndTrace and Untraced implement cosim.Tracer.

func (d *wasmDevice) Trace(w io.Writer) error {
	if d.err != nil {
		return d.err
	}
	d.traced = w
	return d.showing(w, "sl_trace")
}

func (d *wasmDevice) Dump(time uint64) error {
	if d.err != nil {
		return d.err
	}
	return d.showing(d.traced, "sl_dump", time)
}

func (d *wasmDevice) EndTrace() error { return nil }

func (d *wasmDevice) Untraced() []string { return d.circuit.Untraced }

// Points and Counts implement cosim.Counter.

func (d *wasmDevice) Points() ([]cosim.Point, error) {
	if d.points == nil {
		return nil, cosim.ErrUnseen
	}
	return d.points, nil
}

func (d *wasmDevice) findPoints() error {
	if d.module.ExportedFunction("sl_points") == nil {
		return nil
	}
	var text bytes.Buffer
	if err := d.showing(&text, "sl_points"); err != nil {
		return err
	}
	d.points = []cosim.Point{}
	for line := range strings.Lines(text.String()) {
		at, point, err := readPoint(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return fmt.Errorf("%s: what it counts: %w", d.circuit.Device, err)
		}
		d.counts, d.points = append(d.counts, at), append(d.points, point)
	}
	return nil
}

func (d *wasmDevice) Counts() ([]uint64, error) {
	counts := make([]uint64, len(d.counts))
	for i, at := range d.counts {
		value, ok := d.module.Memory().ReadUint32Le(at)
		if !ok {
			return nil, fmt.Errorf("%s: a count is not in its memory", d.circuit.Device)
		}
		counts[i] = uint64(value)
	}
	return counts, nil
}

func (d *wasmDevice) putCounts(counts []uint64) {
	for i, at := range d.counts {
		d.module.Memory().WriteUint32Le(at, uint32(counts[i]))
	}
}

func readPoint(line string) (at uint32, p cosim.Point, err error) {
	address, rest, _ := strings.Cut(line, "\x01")
	where, err := strconv.ParseUint(address, 10, 32)
	if err != nil {
		return 0, p, err
	}
	for pair := range strings.SplitSeq(rest, "\x01") {
		key, value, _ := strings.Cut(pair, "\x02")
		switch key {
		case "filename":
			p.File = value
		case "lineno":
			p.Line, err = strconv.Atoi(value)
		case "column":
			p.Column, err = strconv.Atoi(value)
		case "hier":
			p.Hier = strings.TrimPrefix(value, ".")
		case "page":
			p.Page = value
		case "comment":
			p.Comment = value
		case "linescov":
			p.Lines = value
		}
		if err != nil {
			return 0, p, fmt.Errorf("%q: %w", line, err)
		}
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(p.Page, "v_"), "/")
	p.Kind = cosim.PointKind(kind)
	return uint32(where), p, nil
}
