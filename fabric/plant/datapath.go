package plant

import (
	"errors"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Datapath is all hardware of a network as one replaceable component. Its ports are the inputs of transmitters and
// receivers, and the outputs of receivers, media and links. A Datapath replaces its parts in a kernel; only the light
// at the far ends remains visible.
//
// In reset, the datapath is dark and has received nothing. The cycle after reset is the last cycle of an empty slot.
type Datapath struct {
	path          string // path of all hardware
	twin          string
	parameters    map[string]int // parameters of the twin
	timing        nic.Timing
	clock         *hw.Clock
	serialisers   *nic.Serialisers
	medium        sitedMedium
	links         *hw.Fibre
	far           *hw.Light
	deserialisers *nic.Deserialisers

	asked, answered bool // the receivers were queried in this cycle; the answer

	seen []uint32 // by medium: 1 + the first cycle of the slot with both rails lit at the far end, 0 for none
}

type sitedMedium interface {
	fabric.Medium
	Site() *hw.Site
}

func (d *Datapath) Path() string { return d.links.Path() }

func (d *Datapath) Drives() []hw.Wire { return []hw.Wire{d.far} }

// Drive darkens the far ends; afterwards RTL lights them.
func (d *Datapath) Drive(s hw.Shard) {
	d.far.Clear(s.Index)
	d.asked = false
}

func (d *Datapath) Latches() []hw.Wire { return nil }

// Latch clears the inputs of this cycle and, at the end of a slot, the observations of the slot.
func (d *Datapath) Latch(s hw.Shard) {
	d.serialisers.Latch(s)
	d.deserialisers.Latch(s)
	if d.last() {
		clear(d.seen)
	}
}

func (d *Datapath) Reset() {
	for _, part := range d.parts() {
		part.Reset()
	}
	clear(d.seen)
}

func (d *Datapath) State(v *hw.StateVisitor) {
	for _, part := range d.parts() {
		v.Within(part)
	}
	hw.StateColumn(v, hw.Future, "seen", d.seen)
}

func (d *Datapath) parts() []hw.Component {
	return []hw.Component{d.serialisers, d.medium, d.links, d.deserialisers}
}

func (d *Datapath) Probes(yield func(hw.Probe)) { d.far.Probes(yield) }

func (d *Datapath) last() bool { return (d.clock.Cycle()+1)%uint64(d.timing.SlotCycles()) == 0 }

var errLastCycle = errors.New("output last_o is 0 in the last cycle of a slot: the RTL's slot length differs from " +
	"the model's")

func (d *Datapath) inLast(port hw.Port, also func()) hw.Port {
	bind := port.Put
	port.Put = func(_ int, from hw.Pins) func() error {
		put := bind(0, from)
		return func() error {
			if !d.last() {
				return nil
			}
			also()
			return put()
		}
	}
	return port
}

// Site lists the parts' ports side by side. Inputs count in the last cycle of a slot; in this cycle, violation_o
// shows the media with a violation in the slot.
func (d *Datapath) Site() *hw.Site {
	tx, media, links, rx := d.serialisers.Site(), d.medium.Site(), d.links.Site(), d.deserialisers.Site()
	none := func() {}
	load := d.inLast(tx.Wide("load_i", "load_i"), func() { d.medium.ClearSlot(0) })
	still := func(name string) hw.Port { return d.inLast(tx.Wide(name, name), none) }
	frame, length, port := still("frame_i"), still("length_i"), still("port_i")
	hear := d.inLast(rx.Wide("hear_i", "port_i"), func() { d.deserialisers.EndSlot(0) })
	last := hw.Port{
		Name: "last_o", Bits: 1,
		Get: hw.GetPins(func(_ int, to hw.Pins) {
			to.Set(0)
			if d.last() {
				to.Set(1)
			}
		}),
		Put: hw.PutValue(func(_ int, value uint64) error {
			if value == 0 && d.last() {
				return errLastCycle
			}
			return nil
		}),
	}
	violation := d.inLast(media.Wide("violation_o", "violation_o"), none)
	violation.Get = hw.GetPins(func(_ int, to hw.Pins) {
		for medium := range d.seen {
			met := uint64(0)
			if d.medium.Met(medium) {
				met = 1
			}
			to.SetBits(medium, 1, met)
		}
	})
	rail1, rail0 := links.Wide("rail1_o", "rail1_o"), links.Wide("rail0_o", "rail0_o")
	bindRail0 := rail0.Put
	rail0.Put = func(_ int, from hw.Pins) func() error {
		put := bindRail0(0, from)
		return func() error {
			err := put()
			d.look()
			return err
		}
	}
	return &hw.Site{
		Twin: d.twin, What: "all hardware", Parameters: hw.Same(d.parameters),
		Elements: 1, Path: func(int) string { return d.path }, Clocked: true,
		Ports: []hw.Port{
			load, frame, length, port, hear,
			last, rx.Wide("status_o", "status_o"), rx.Wide("heard_length_o", "length_o"), rx.Wide("heard_o", "frame_o"),
			violation, rail1, rail0,
		},
		Take: func(int) {
			for i := 0; i < tx.Elements && d.last(); i++ {
				tx.Take(i)
			}
		},
		Replace: func(_ int, ask func() bool) {
			once := func() bool {
				if !d.asked {
					d.asked, d.answered = true, ask()
				}
				return d.answered
			}
			for _, part := range []*hw.Site{tx, media, links, rx} {
				for element := range part.Elements {
					part.Replace(element, once)
				}
			}
		},
	}
}

func (d *Datapath) look() {
	for c := range d.seen {
		if d.seen[c] == 0 && d.far.Rail1[c]&d.far.Rail0[c] != 0 {
			d.seen[c] = uint32(d.clock.Cycle()%uint64(d.timing.SlotCycles())) + 1
		}
	}
}

// Met returns the cycle of the slot in which frames on a medium collided. Only the far end is visible, so Met
// subtracts the link's delay. It returns last if RTL reports a violation without light.
func (d *Datapath) Met(medium int, last uint32) uint32 {
	if delay := uint32(d.timing.PropagationCycles); d.seen[medium] > delay {
		return d.seen[medium] - 1 - delay
	}
	return last
}

// Hardware is a Transport of the cycle engine: a Plant, a Stream, or both in a Joint.
type Hardware interface {
	fabric.Transport
	Clock() *hw.Clock
	Probes(yield func(hw.Probe)) // all signals except the signals of routers
	Routers() *hw.RouterSignals  // nil without routers
	Watching() *Watched
}

// Signals yields all signals, including the signals of routers.
func Signals(h Hardware, yield func(hw.Probe)) {
	h.Probes(yield)
	if r := h.Routers(); r != nil {
		r.Probes(yield)
	}
}

// Watched calls a function in every cycle.
type Watched struct {
	// Watch, if not nil, is called in every cycle between Settle and Latch.
	Watch func(cycle uint64) error
	// WatchError is the first error of Watch. After an error Watch is no longer called.
	WatchError error
}

// Watching returns w, for types that embed Watched.
func (w *Watched) Watching() *Watched { return w }

// Look calls Watch for a cycle.
func (w *Watched) Look(cycle uint64) {
	if w.Watch != nil && w.WatchError == nil {
		w.WatchError = w.Watch(cycle)
	}
}
