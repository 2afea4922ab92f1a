package fabric

import (
	"fmt"
	"math"
	"slices"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
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

// OnMedium returns what happens to a medium in a slot, by the first fault, but darkness before flips.
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

// Bits of a frame that a flip may hit: source, destination and tag. The length stays, and the CRC is wrong.
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

// Suffer returns what faults do to the light that comes to the port of a processor in a slot, and
// counts it. met says that frames have met: a flip does nothing to them. There must be faults.
func (l *Ledger) Suffer(bank *nic.Bank, cell int, port uint16, slot uint32, met bool) Effect {
	medium := l.Faults.names.HeardOn(bank.First+cell, port)
	effect, number := l.Faults.OnMedium(medium, slot)
	if effect == Unharmed || effect == Flipped && met {
		return Unharmed
	}
	l.FaultCounts[number].Note(slot, uint32(medium))
	return effect
}

// Harm is Suffer for a transport that carries no light, with faults or without: it sets and notes
// the status of the receiver, too, and for what is not Unharmed there is nothing left to do but to
// count a Flipped frame as heard.
func (l *Ledger) Harm(bank *nic.Bank, cell int, port uint16, slot uint32, met bool) Effect {
	if l.Faults == nil { // so far it is inlined
		return Unharmed
	}
	return l.harm(bank, cell, port, slot, met)
}

func (l *Ledger) harm(bank *nic.Bank, cell int, port uint16, slot uint32, met bool) Effect {
	effect := l.Suffer(bank, cell, port, slot, met)
	switch effect {
	case Dark:
		bank.SetRx(cell, port, nic.StatusIdle)
	case Flipped:
		bank.SetRx(cell, port, nic.StatusCRC)
		l.NoteHeard(bank.First+cell, port, nic.StatusCRC, nil, slot)
	}
	return effect
}

// NoteSmall notes that a frame did not fit into a FIFO of a processor, tx or rx, made smaller by a fault.
func (l *Ledger) NoteSmall(processor int, slot uint32, tx bool) {
	if l.Faults == nil {
		return
	}
	for i := range l.Faults.All {
		if l.Faults.All[i].shrinks(processor, tx) {
			counts := l.FaultCounts
			if tx {
				counts = l.FaultActs
			}
			counts[i].Note(slot, uint32(processor))
		}
	}
}

// SetFaults gives a ledger the faults of its run, nil for none.
func (l *Ledger) SetFaults(f *Faults) {
	l.Faults = f
	if f != nil {
		l.FaultCounts, l.FaultActs = make([]FaultCount, len(f.All)), make([]FaultCount, len(f.All))
	}
}

// KeepFaults ends a boundary: faults of processors count, unless the boundary was dropped in its middle.
func (l *Ledger) KeepFaults(whole bool) {
	for i := range l.FaultActs {
		if whole {
			l.FaultCounts[i].Merge(&l.FaultActs[i])
		}
		l.FaultActs[i] = FaultCount{}
	}
}

// StateFaults visits the counts, at the end of a boundary.
func (l *Ledger) StateFaults(v *hw.StateVisitor, name string) {
	for i := range l.FaultCounts {
		c, at := &l.FaultCounts[i], fmt.Sprintf("%s.fault[%d]", name, i)
		hw.StateScalar(v, at+".count", &c.Count)
		hw.StateScalar(v, at+".slot", &c.Slot)
		hw.StateScalar(v, at+".index", &c.Index)
	}
}

// Empty notes that a fault kills or restarts a processor: frames are in its TX FIFO, goOn of them stay in flight.
func (l *Ledger) Empty(processor, frames, goOn int, dies bool, slot uint32) {
	if l.Queues == nil || frames == 0 {
		return
	}
	l.Queues.Emptied(l.Shard, processor)
	if frames -= goOn; l.Checks.NoLoss && frames > 0 {
		what := "restarted"
		if dies {
			what = "killed"
		}
		text := fmt.Sprintf("lost %s in its TX FIFO: a fault has %s it", traces.Plural(frames, "frame", "frames"), what)
		l.Find(Finding{Kind: FindUnsent, Slot: slot, Index: processor, Text: text})
	}
}
