package rtl

import (
	"encoding/binary"
	"errors"
	"fmt"

	"starloom/cosim/condition"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/traces"
)

// watched is RTL whose map makes assumptions about its inputs. A hidden model with the same inputs detects the cycles
// that violate an assumption.
type watched struct {
	*pinmap.Device
	model  *twin.Model
	pins   *pinmap.Map
	path   string
	kernel *hw.Kernel
	sight  *condition.Sight
	reset  bool // reset was on in the previous cycle
	broken []broken
}

// broken counts the cycles in which an assumption failed. A circuit without a clock is observed only when its inputs
// change: open is set while the assumption fails, and since is the first of these cycles.
type broken struct {
	cycles, first uint64
	open          bool
	since         uint64
}

const brokenWords = 4

func (r *Devices) watch(d *pinmap.Device, pins *pinmap.Map, path string) (*watched, error) {
	model, err := pins.NewModel()
	if err != nil {
		return nil, err
	}
	w := &watched{
		Device: d, model: model, pins: pins, path: path, sight: condition.NewSight(model.Inputs(), model.Outputs()),
		broken: make([]broken, len(d.Terms().Assume)), kernel: r.Kernel,
	}
	r.beside = append(r.beside, w)
	return w, nil
}

// Begin implements inloop.Beginner. It clears the counts of the previous run.
func (w *watched) Begin() {
	for i := range w.broken {
		w.broken[i] = broken{open: w.broken[i].open}
	}
}

func (w *watched) cycle() uint64 {
	if cycle := w.kernel.Cycle(); cycle != hw.CycleOfReset {
		return cycle
	}
	return 0
}

// Settle implements cosim.Device. It checks circuits without a clock.
func (w *watched) Settle() error {
	if !w.model.Clocked() {
		w.close()
		copy(w.model.Inputs(), w.Inputs())
		_ = w.model.Settle()
		for i, assumed := range w.Terms().Assume {
			w.broken[i].open, w.broken[i].since = !assumed.Holds(w.sight), w.cycle()
		}
	}
	return w.Device.Settle()
}

func (w *watched) close() {
	for i := range w.broken {
		if b := &w.broken[i]; b.open {
			b.count(b.since, w.cycle()-b.since)
			b.since = w.cycle()
		}
	}
}

func (b *broken) count(first, cycles uint64) {
	if b.cycles == 0 {
		b.first = first
	}
	b.cycles += cycles
}

func (w *watched) Edge(clocks uint64) error {
	if w.model.Clocked() && clocks&1 != 0 {
		copy(w.model.Inputs(), w.Inputs())
		_ = w.model.Settle()
		if w.reset = w.Inputs()[w.model.ResetWord()]&1 != 0; w.reset {
			w.sight.Reset()
		} else {
			for i, assumed := range w.Terms().Assume {
				if !assumed.Holds(w.sight) {
					w.broken[i].count(w.cycle(), 1)
				}
			}
			w.sight.Next()
		}
		w.model.Latch()
	}
	return w.Device.Edge(clocks)
}

func (w *watched) Save() ([]byte, error) {
	model, err := w.model.Save()
	if err != nil {
		return nil, err
	}
	rtl, err := w.Device.Save()
	if err != nil {
		return nil, err
	}
	number := func(is bool) uint64 {
		if is {
			return 1
		}
		return 0
	}
	words := []uint64{uint64(len(model)), number(w.reset)}
	for _, b := range w.broken {
		words = append(words, b.cycles, b.first, number(b.open), b.since)
	}
	var all []byte
	for _, word := range words {
		all = binary.LittleEndian.AppendUint64(all, word)
	}
	return append(append(all, model...), rtl...), nil
}

func (w *watched) Restore(snapshot []byte) error {
	words := make([]uint64, 2+brokenWords*len(w.broken))
	if len(snapshot) < 8*len(words) {
		return errors.New("a snapshot is too short: it comes from a different device")
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(snapshot[8*i:])
	}
	snapshot = snapshot[8*len(words):]
	if words[0] > uint64(len(snapshot)) {
		return errors.New("a snapshot is truncated: it comes from a different device")
	}
	if err := w.model.Restore(snapshot[:words[0]]); err != nil {
		return err
	}
	w.reset = words[1] != 0
	for i := range w.broken {
		of := words[2+brokenWords*i:]
		w.broken[i] = broken{of[0], of[1], of[2] != 0, of[3]}
	}
	if w.sight.Reset(); !w.reset {
		w.sight.Next() // conditions may refer to ports in the previous cycle
	}
	return w.Device.Restore(snapshot[words[0]:])
}

func (w *watched) Close() error { return errors.Join(w.model.Close(), w.Device.Close()) }

// Reports describes the RTL components, and the cycles in which the machine violated the assumptions of their maps.
func (r *Devices) Reports() []outcome.RTLReport {
	reports := append([]outcome.RTLReport{}, r.Report...)
	for _, w := range r.beside {
		w.close()
		for i := range reports {
			if reports[i].Path == w.path {
				reports[i].Assumed = w.report()
			}
		}
	}
	return reports
}

func (w *watched) report() (all []outcome.Assumption) {
	for i, assumed := range w.Terms().Assume {
		a := outcome.Assumption{Text: assumed.Text, Broken: w.broken[i].cycles}
		if a.Broken > 0 {
			a.First = &w.broken[i].first
		}
		all = append(all, a)
	}
	return all
}

// BrokenNotes describes the violated assumptions: the places, the number of cycles, and the first cycle.
func (r *Devices) BrokenNotes() (notes []string) {
	type total struct {
		of     *watched
		place  string
		text   string
		parts  int
		cycles uint64
		first  uint64
	}
	var totals []*total
	known := map[string]*total{}
	for _, w := range r.beside {
		for i, a := range w.report() {
			if a.Broken == 0 {
				continue
			}
			place := w.pins.Place(w.pins.AssumeKey(i))
			t := known[place+a.Text]
			if t == nil {
				t = &total{of: w, place: place, text: a.Text, first: *a.First}
				known[place+a.Text], totals = t, append(totals, t)
			}
			if *a.First < t.first {
				t.of, t.first = w, *a.First
			}
			t.parts, t.cycles = t.parts+1, t.cycles+a.Broken
		}
	}
	for _, t := range totals {
		text := fmt.Sprintf("the machine breaks an assumption of %s, %s, in %s: first at %s in cycle %d", t.place, t.text,
			traces.Plural(t.cycles, "cycle", "cycles"), t.of.path, t.first)
		if t.parts > 1 {
			text = fmt.Sprintf("%s; %d components in all", text, t.parts)
		}
		notes = append(notes, text+". From this cycle on, no check covers this RTL")
	}
	return notes
}
