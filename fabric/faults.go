package fabric

import (
	"fmt"
	"math"
	"slices"

	"starloom/hw"
)

// FaultKind says what a fault does.
type FaultKind uint8

// The kinds of faults. The first four happen to processors, the others to media.
const (
	FaultDead    FaultKind = iota // from a slot on its NIC sends and hears nothing, and its handler is not called
	FaultRestart                  // at a slot its NIC and its firmware are reset, and the start handler runs again
	FaultPause                    // in a slot its handler is not called; its NIC goes on
	FaultBuffers                  // its FIFOs hold fewer frames than those of the others
	FaultDrop                     // what a medium carries in a slot does not reach its listeners
	FaultFlip                     // of what a medium carries in a slot a bit is another one at its listeners
	FaultStuck                    // a medium is dark at its listeners
	FaultCredit                   // of a channel between routers a credit is lost on its way back
	faultKinds
)

// FaultNames are the names of the kinds in scenarios and reports.
var FaultNames = [faultKinds]string{"dead", "restart", "clock_pause", "buffers", "drop", "bit_flip", "stuck", "credit_loss"}

// OnMedia reports whether faults of this kind happen to media.
func (k FaultKind) OnMedia() bool { return k >= FaultDrop }

// Fault happens, in each of its slots, to each of its targets, with a probability.
type Fault struct {
	Kind     FaultKind
	Targets  hw.Set // processors, after them routers; or media
	From, To uint32 // the first and the last slot
	Every    uint32 // of these, every so many, 1 or more
	List     []uint32
	Chance   uint64 // of 1<<32 in each slot

	RxFrames, TxFrames int // FaultBuffers: 0 for those of the others

	Key string // in the scenario, of its probability
}

// Chance is a probability, 0 to 1, in units of 2^-32. One that is not 0 is one unit or more.
func Chance(probability float64) uint64 { return uint64(math.Ceil(math.Ldexp(probability, 32))) }

// In reports whether a slot is one of the fault's.
func (f *Fault) In(slot uint32) bool {
	if f.List != nil {
		for _, s := range f.List {
			if s == slot {
				return true
			}
		}
		return false
	}
	return f.From <= slot && slot <= f.To && (slot-f.From)%f.Every == 0
}

// First is the first of its slots.
func (f *Fault) First() uint32 {
	if f.List != nil {
		return slices.Min(f.List)
	}
	return f.From
}

// Faults are those of a run. What happens is a function of the run's seed, the target and the
// slot: no order in which they are asked can matter.
type Faults struct {
	All    []Fault
	Off    bool // nothing happens
	Only   int  // the number of the one that happens, from 1 on; 0: all do...
	Except int  // ...but this one
	names  Names
	stream hw.Stream
}

// NewFaults returns those of a network's runs.
func NewFaults(names Names, all []Fault, seed uint64) *Faults {
	f := &Faults{All: all, names: names}
	f.Reset(seed)
	return f
}

// Reset gives another run its seed.
func (f *Faults) Reset(seed uint64) { f.stream = hw.NewStream(seed, hw.PurposeFault) }

// On reports whether some fault happens to media, or some to processors.
func (f *Faults) On(media bool) bool {
	for i := range f.All {
		if f.All[i].Kind.OnMedia() == media {
			return true
		}
	}
	return false
}

// Happens reports whether a fault, by its number, happens to a target in a slot.
func (f *Faults) Happens(number, target int, slot uint32) bool {
	fault := &f.All[number]
	return f.Active(number) && fault.In(slot) && fault.Targets.Has(target) && f.Draws(number, target, slot)
}

// Draws reports whether a fault's chance is drawn for a target in a slot, or a cycle.
func (f *Faults) Draws(number, target int, at uint32) bool {
	return uint64(f.stream.Draw(uint32(target), at, uint16(number))) < f.All[number].Chance
}

// Active reports whether a fault may happen in this run.
func (f *Faults) Active(number int) bool {
	return !f.Off && (f.Only == 0 || f.Only == number+1) && f.Except != number+1
}

// Shrinks reports whether a fault makes FIFOs smaller in this run.
func (f *Faults) Shrinks(number int) bool {
	return f.All[number].Kind == FaultBuffers && f.All[number].Chance > 0 && f.Active(number)
}

// Effect is what faults do to the light of a medium in a slot.
type Effect uint8

// The effects. A flip changes no light of frames that have met: both rails stay lit.
const (
	Unharmed Effect = iota // light passes
	Dark                   // no light passes
	Flipped                // one bit is the other way round
)

// OnMedium returns what happens to a medium in a slot, and by which fault: of several the
// first, but darkness before flips.
func (f *Faults) OnMedium(medium int, slot uint32) (effect Effect, number int) {
	for i := range f.All {
		kind := f.All[i].Kind
		if !kind.OnMedia() || kind == FaultCredit || effect == Flipped && kind == FaultFlip || !f.Happens(i, medium, slot) {
			continue
		}
		if kind != FaultFlip {
			return Dark, i
		}
		effect, number = Flipped, i
	}
	return effect, number
}

// Bits of a frame that a flip may hit: source, destination and tag, which every frame has. So
// the frame stays as long as it is, and its CRC is wrong.
const (
	flipFirst = 32
	flipBits  = 80
)

// FlippedField is the field of the header in which a bit is that Faults.Bit has flipped.
func FlippedField(bit int) string {
	switch at := bit - flipFirst; {
	case at < 32:
		return "source"
	case at < 64:
		return "destination"
	}
	return "tag"
}

// FlipText says what a fault that flips bits has done to a frame on a medium in a slot.
func (f *Faults) FlipText(number, medium int, slot uint32) string {
	bit := f.Bit(number, medium, slot)
	return fmt.Sprintf("flipped its bit %d, of the %s: its CRC was wrong, so it was dropped", bit, FlippedField(bit))
}

// flipDraw tells the draws of bits from those of faults, of which there are FaultsMax.
const flipDraw = 1 << 15

// FaultsMax is the most faults of a scenario.
const FaultsMax = 256

// Bit is the bit of a frame, 0 the first, that a fault flips on a medium in a slot.
func (f *Faults) Bit(number, medium int, slot uint32) int {
	return flipFirst + int(hw.Below(f.stream.Draw(uint32(medium), slot, flipDraw|uint16(number)), flipBits))
}

// FaultCount is what a fault has done in a run: how often, and where first.
type FaultCount struct {
	Count uint64 // processors and slots; of a fault of media receivers and slots that light would have reached
	Slot  uint32 // of the first one...
	Index uint32 // ...and its processor or medium, of several in one slot the lowest
}

// Note counts one more.
func (c *FaultCount) Note(slot, index uint32) {
	c.Merge(&FaultCount{1, slot, index})
}

// Merge adds what another shard has seen.
func (c *FaultCount) Merge(o *FaultCount) {
	if o.Count == 0 {
		return
	}
	if c.Count == 0 || o.Slot < c.Slot || o.Slot == c.Slot && o.Index < c.Index {
		c.Slot, c.Index = o.Slot, o.Index
	}
	c.Count += o.Count
}

// Smaller reports whether a fault has made a FIFO of a processor smaller, tx or rx.
func (f *Faults) Smaller(processor int, tx bool) bool {
	if f == nil {
		return false
	}
	for i := range f.All {
		if f.Active(i) && f.All[i].shrinks(processor, tx) {
			return true
		}
	}
	return false
}

func (f *Fault) shrinks(processor int, tx bool) bool {
	return f.Kind == FaultBuffers && f.Chance > 0 && (tx && f.TxFrames > 0 || !tx && f.RxFrames > 0) && f.Targets.Has(processor)
}
