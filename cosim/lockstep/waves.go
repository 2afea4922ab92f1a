package lockstep

import (
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/hw"
	"starloom/traces"
	"starloom/traces/vcd"
)

// Waves holds displayed cycles of model and RTL.
type Waves struct {
	Stimulus *Stimulus // inputs from power-on; nil if there were too many to store
	cycles   []uint64
	rows     []uint64 // row of the stimulus, by sample; the cycles of a recorded run may differ from rows
	end      bool     // Stimulus contains only the end of the run
	ports    []cosim.Port
	absent   []bool
	fourWay  bool // the RTL has X and Z
	failed   int  // port that differs, -1 for none
	fails    bool // the last sample shows the divergence
	samples  []sample
	inside   *inside
}

// A sample holds the values of one cycle. open and unknown mark the X bits of the model's and the RTL's outputs.
type sample struct{ inputs, model, open, rtl, unknown []uint64 }

// number renumbers samples by the cycles of the recorded run of s and drops samples before cycle 0. It does nothing
// if the last sample is before cycle 0.
func (v *Waves) number(s *Stimulus) {
	if s == nil || s.cycles == nil {
		return
	}
	v.Stimulus.Place, v.Stimulus.cycles = s.Place, s.cycles[:v.Stimulus.Cycles()]
	if len(v.cycles) == 0 || s.cycleOf(v.cycles[len(v.cycles)-1]) == hw.CycleOfReset {
		return
	}
	from := 0
	for i, row := range v.cycles {
		if v.cycles[i] = s.cycleOf(row); v.cycles[i] == hw.CycleOfReset {
			from = i + 1
		}
	}
	v.cycles, v.rows, v.samples = v.cycles[from:], v.rows[from:], v.samples[from:]
}

// unsettle sets the RTL's outputs in a sample to X. Earlier samples of two-state RTL get an empty plane of unknown
// bits.
func (v *Waves) unsettle(s *sample) {
	if !v.fourWay {
		v.fourWay = true
		for i := range v.samples {
			v.samples[i].unknown = make([]uint64, len(s.rtl))
		}
	}
	s.unknown = make([]uint64, len(s.rtl))
	for i := range s.rtl {
		s.rtl[i], s.unknown[i] = 0, ^uint64(0)
	}
}

func firstBit(p cosim.Port, s sample) int {
	for w := range p.Words() {
		word := s.model[p.Word+w] ^ s.rtl[p.Word+w]
		if s.unknown != nil {
			word |= s.unknown[p.Word+w]
		}
		if s.open != nil {
			word &^= s.open[p.Word+w]
		}
		if word != 0 {
			return 64*w + bits.TrailingZeros64(word)
		}
	}
	return 0
}

func labelOf(p cosim.Port, values, unknown []uint64) string {
	value, plane := planesOf(p, values, unknown)
	return vcd.BitsValue(p.Bits, value, plane).Label()
}

// planesOf converts a device's planes to planes of a VCD. X has value 0 in a device and 1 in a VCD; Z has value 1 in
// a device and 0 in a VCD.
func planesOf(p cosim.Port, values, unknown []uint64) (value, plane []uint64) {
	value, plane = make([]uint64, p.Words()), make([]uint64, p.Words())
	copy(value, values[p.Word:][:p.Words()])
	if p.Bits%64 != 0 {
		value[len(value)-1] &= 1<<(p.Bits%64) - 1
	}
	if unknown != nil {
		copy(plane, unknown[p.Word:][:p.Words()])
		for i := range plane {
			value[i] ^= plane[i]
		}
	}
	return value, plane
}

// up to drawnRowsAlways rows are drawn, even constant ones
const (
	drawnCycles     = 16
	drawnRowsAlways = 6
)

// Drawing is a timing diagram of the last cycles of a run.
type Drawing struct {
	Columns []uint64
	Rows    []traces.WaveRow
	Marked  int      // column of the divergence, -1 for none
	Still   []string // constant ports that are not drawn, with their values
}

// Drawing returns the last cycles: inputs, then outputs. Where model and RTL differ, they have separate rows. If
// there are more than drawnRowsAlways rows, constant rows move to Still.
func (v *Waves) Drawing() (d Drawing) {
	from := max(0, len(v.samples)-drawnCycles)
	samples := v.samples[from:]
	d.Columns = make([]uint64, len(samples))
	copy(d.Columns, v.cycles[from:])
	var rows [2][]traces.WaveRow
	add := func(at int, p cosim.Port, name string, label func(s *sample) string) traces.WaveRow {
		row := traces.WaveRow{Name: name, Bits: p.Bits}
		for i := range samples {
			row.Values = append(row.Values, label(&samples[i]))
		}
		rows[at] = append(rows[at], row)
		return row
	}
	for i, p := range v.ports {
		switch {
		case p.Clock || v.absent[i]:
		case p.Input:
			add(0, p, p.Name, func(s *sample) string { return labelOf(p, s.inputs, nil) })
		default:
			model := add(1, p, "model."+p.Name, func(s *sample) string { return labelOf(p, s.model, s.open) })
			rtl := add(1, p, "rtl."+p.Name, func(s *sample) string { return labelOf(p, s.rtl, s.unknown) })
			if slices.Equal(model.Values, rtl.Values) {
				rows[1] = rows[1][:len(rows[1])-1]
				rows[1][len(rows[1])-1].Name = p.Name
			}
		}
	}
	d.Rows = append(rows[0], rows[1]...)
	if len(d.Rows) > drawnRowsAlways {
		d.Rows = slices.DeleteFunc(d.Rows, func(row traces.WaveRow) bool {
			constant := !strings.Contains(row.Name, ".") && len(slices.Compact(slices.Clone(row.Values))) == 1
			if constant {
				d.Still = append(d.Still, row.Name+" "+brief(row.Values[0]))
			}
			return constant
		})
	}
	if d.Marked = -1; v.fails {
		d.Marked = len(samples) - 1
	}
	return d
}

func (v *Waves) draw(w io.Writer) error {
	d := v.Drawing()
	err := traces.WriteWaves(w, "cycle", d.Columns, d.Rows, d.Marked)
	if err == nil && len(d.Still) > 0 {
		_, err = fmt.Fprintf(w, "unchanged: %s\n", strings.Join(d.Still, ", "))
	}
	return err
}

func brief(label string) string {
	switch {
	case strings.Trim(label, "0") == "":
		return "0"
	case len(label) > 16:
		return label[:7] + ".." + label[len(label)-7:]
	}
	return label
}

// WriteVCD writes the run as a waveform, one cycle per nanosecond. Scopes model and rtl have all ports under the
// model's names. The model's outputs have the values used in the comparison. lockstep.differs is 1 in the cycle of
// the divergence. NAME_unknown marks the X and Z bits of NAME. In the returned save file, the two paths are not set.
// The save file lists the signal that differs first, with a marker at the divergence.
func (v *Waves) WriteVCD(w io.Writer, comments []string) (*vcd.SaveFile, error) {
	out, err := vcd.NewWriter(w, vcd.Options{Comments: append(comments, v.inside.notes()...)})
	if err != nil {
		return nil, err
	}
	const differs = "lockstep.differs"
	save := &vcd.SaveFile{First: []string{differs}}
	var set []func(s *sample)
	declare := func(path string, port int, of func(s *sample) []uint64) {
		p := v.ports[port]
		for low := 0; low < p.Bits; low += 64 {
			width, name := min(64, p.Bits-low), path
			if p.Bits > 64 {
				name = partName(path, low, width)
			}
			id, declared := out.Declare(name, width)
			if declared != nil && err == nil {
				err = declared
			}
			if port == v.failed {
				save.First = append(save.First, name)
			}
			set = append(set, func(s *sample) { out.Set(id, hw.GetBits(of(s)[p.Word:], low, width)) })
		}
	}
	for _, side := range []struct {
		scope string
		of    func(s *sample) []uint64
	}{{"model.", func(s *sample) []uint64 { return s.model }}, {"rtl.", func(s *sample) []uint64 { return s.rtl }}} {
		for i, p := range v.ports {
			switch {
			case p.Clock || v.absent[i]:
			case p.Input:
				declare(side.scope+p.Name, i, func(s *sample) []uint64 { return s.inputs })
			default:
				declare(side.scope+p.Name, i, side.of)
				if v.fourWay && side.scope == "rtl." {
					declare(side.scope+p.Name+"_unknown", i, func(s *sample) []uint64 { return s.unknown })
				}
			}
		}
	}
	differ, declared := out.Declare(differs, 1)
	if err != nil || declared != nil {
		return nil, fmt.Errorf("the waveform of %s: %v%v", v.ports[0].Name, err, declared)
	}
	within, err := declareInside(v.inside, out)
	if err != nil {
		return nil, err
	}
	if err := out.Begin(); err != nil {
		return nil, err
	}
	for i := range v.samples {
		if err := out.Cycle(v.cycles[i]); err != nil {
			return nil, err
		}
		for _, f := range set {
			f(&v.samples[i])
		}
		if err := within.set(i); err != nil {
			return nil, err
		}
		if v.fails && i == len(v.samples)-1 {
			out.Set(differ, 1)
			save.Markers = []vcd.Marker{{Cycle: v.cycles[i], Name: "differs"}}
		}
	}
	end := uint64(0)
	if n := len(v.cycles); n > 0 {
		end = v.cycles[n-1] + 1
	}
	save.Signals = out.Signals()
	return save, out.Close(end)
}
