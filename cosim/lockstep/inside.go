package lockstep

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"starloom/hw"
	"starloom/traces/vcd"
)

type inside struct {
	cells   []hw.Cell
	values  [][]uint64
	missing []string // columns of the model

	rtl      []byte // VCD with sample numbers as times; nil for none
	untraced []string
	without  string // reason why the RTL's internals are missing
	clock    string
	outer    string // the scope around the RTL's top module, "" for none
}

const (
	insideBytesMax = 256 << 20
	cellsMax       = 4096
)

var errTooMuch = fmt.Errorf("more than %d MiB of changes", insideBytesMax>>20)

type bounded struct {
	bytes.Buffer
	full bool
}

func (b *bounded) Write(text []byte) (int, error) {
	if b.full = b.full || b.Len()+len(text) > insideBytesMax; b.full {
		return 0, errTooMuch
	}
	return b.Buffer.Write(text)
}

func modelCells(kernel *hw.Kernel) (cells []hw.Cell, missing []string) {
	cells, missing = hw.Cells(kernel)
	cells = slices.DeleteFunc(cells, func(c hw.Cell) bool { return c.Path == kernel.Path()+".cycle" })
	for i := range cells {
		cells[i].Path = strings.TrimPrefix(cells[i].Path, kernel.Path()+".")
	}
	return cells, missing
}

type insideWave struct {
	*inside
	out    *vcd.Writer
	reader *vcd.Reader
	nets   []insideNet
	model  []vcd.SignalID
	taken  map[string]bool
}

type insideNet struct {
	net            vcd.NetID
	low, bits      int
	value, unknown vcd.SignalID
	fourWay        bool // the RTL has an X or Z bit in some cycle
}

const (
	scopeOfRegisters = "model.registers"
	scopeOfInternals = "internals"
)

func declareInside(x *inside, out *vcd.Writer) (*insideWave, error) {
	if x == nil {
		return nil, nil
	}
	w := &insideWave{inside: x, out: out, taken: map[string]bool{}}
	for i := range x.cells {
		c := &x.cells[i]
		id, err := out.Declare(w.legal(scopeOfRegisters+"."+c.Path), c.Bits)
		if err != nil {
			return nil, err
		}
		w.model = append(w.model, id)
	}
	if x.rtl == nil {
		return w, nil
	}
	unknown, err := everUnknown(x.rtl)
	if err != nil {
		return nil, err
	}
	if w.reader, err = vcd.NewReader(bytes.NewReader(x.rtl), scopeOfInternals); err != nil {
		return nil, err
	}
	if err := w.reader.WatchAll(); err != nil {
		return nil, err
	}
	return w, w.declareNets(unknown)
}

// declareNets declares the signals of the RTL except its clock, which is low in every sample.
func (w *insideWave) declareNets(unknown []bool) (err error) {
	vars := w.reader.Header().Vars
	clocks := map[vcd.NetID]bool{}
	for i := range vars {
		if _, name, ok := strings.Cut(strings.TrimPrefix(vars[i].Path, w.outer), "."); ok && name == w.clock {
			clocks[vars[i].Net] = true
		}
	}
	for i := range vars {
		v := &vars[i]
		path := strings.TrimPrefix(v.Path, w.outer)
		if v.Kind != vcd.KindBits || clocks[v.Net] || !strings.Contains(path, ".") {
			continue
		}
		path = w.legal(scopeOfInternals + "." + path)
		for low := 0; low < v.Bits; low += 64 {
			n := insideNet{net: v.Net, low: low, bits: min(64, v.Bits-low), fourWay: unknown[v.Net]}
			name := path
			if v.Bits > 64 {
				name = partName(path, low, n.bits)
			}
			if n.value, err = w.out.Declare(name, n.bits); err != nil {
				return err
			}
			if n.fourWay {
				if n.unknown, err = w.out.Declare(name+"_unknown", n.bits); err != nil {
					return err
				}
			}
			w.nets = append(w.nets, n)
		}
	}
	return nil
}

func everUnknown(text []byte) ([]bool, error) {
	r, err := vcd.NewReader(bytes.NewReader(text), scopeOfInternals)
	if err != nil {
		return nil, err
	}
	if err := r.WatchAll(); err != nil {
		return nil, err
	}
	unknown := make([]bool, r.Nets())
	for first := true; r.Next(); first = false {
		changed, err := r.Step()
		if err != nil {
			return nil, err
		}
		for _, net := range changed {
			unknown[net] = unknown[net] || !r.Value(net).Known()
		}
		for net := 0; first && net < len(unknown); net++ { // initial X is not reported as a change
			unknown[net] = !r.Value(vcd.NetID(net)).Known()
		}
	}
	return unknown, r.Err()
}

// legal returns a unique legal path in a waveform: word 3 of mem becomes mem_3.
func (w *insideWave) legal(path string) string {
	components := strings.Split(path, ".")
	for i, c := range components {
		name, index, indexed := strings.Cut(c, "[")
		name = plainName(name)
		switch last := i == len(components)-1; {
		case indexed && (last || strings.Trim(index, "0123456789]") != ""):
			name += "_" + strings.Trim(plainName("_"+strings.ReplaceAll(index, "][", "_")), "_")
		case indexed:
			name += "[" + index
		}
		components[i] = name
	}
	path = strings.Join(components, ".")
	for w.taken[path] {
		path += "_"
	}
	w.taken[path] = true
	return path
}

func plainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if plain == "" || plain[0] >= '0' && plain[0] <= '9' {
		plain = "_" + plain
	}
	return plain
}

func (w *insideWave) set(number int) error {
	if w == nil {
		return nil
	}
	if number < len(w.values) {
		for i, id := range w.model {
			w.out.Set(id, w.values[number][i])
		}
	}
	if w.reader == nil {
		return nil
	}
	for w.reader.Next() && w.reader.NextTime() <= uint64(number) {
		if _, err := w.reader.Step(); err != nil {
			return err
		}
	}
	for i := range w.nets {
		n := &w.nets[i]
		v := w.reader.Value(n.net)
		value, unknown := hw.GetBits(v.Value, n.low, n.bits), uint64(0)
		if n.fourWay {
			unknown = hw.GetBits(v.Unknown, n.low, n.bits)
			w.out.Set(n.unknown, unknown)
		}
		w.out.Set(n.value, value^unknown) // 0 for X, 1 for Z, as in scope rtl
	}
	return w.reader.Err()
}

func (x *inside) notes() (lines []string) {
	if x == nil {
		return nil
	}
	if x.rtl != nil {
		lines = append(lines, scopeOfInternals+": internals of the RTL, settled, just before the clock edge: clocks are "+
			"low then and left out")
	}
	if x.without != "" {
		lines = append(lines, "the internals of the RTL are not shown: "+x.without)
	}
	for _, name := range x.untraced {
		lines = append(lines, "not shown: "+name)
	}
	for _, name := range x.missing {
		lines = append(lines, "not shown of the model: "+name)
	}
	return lines
}
