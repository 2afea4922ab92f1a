package fabric

import (
	"fmt"
	"math"
	"slices"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// FaultKind is the effect of a fault.
type FaultKind uint8

// Kinds of faults. The first four affect processors, the others affect media.
const (
	// from a slot on, a processor's NIC neither sends nor hears, and its handler is not called
	FaultDead    FaultKind = iota
	FaultRestart           // in a slot, a processor's NIC and firmware are reset, and the start handler runs again
	FaultPause             // in a slot, a processor's handler is not called; its NIC continues
	FaultBuffers           // a processor's FIFOs hold fewer frames than usual
	FaultDrop              // in a slot, a medium's light does not reach its listeners
	FaultMiss              // in a slot, the light of a medium does not reach one of its receivers
	FaultFlip              // in a slot, listeners of a medium receive one inverted bit
	FaultStuck             // a medium is dark at its listeners
	FaultCredit            // a returning credit of a channel between routers is lost
	faultKinds
)

// FaultNames holds the names of the kinds in scenarios and reports.
var FaultNames = [faultKinds]string{"dead", "restart", "clock_pause", "buffers", "drop",
	"miss", "bit_flip", "stuck", "credit_loss"}

// OnMedia reports whether the kind affects media.
func (k FaultKind) OnMedia() bool { return k >= FaultDrop }

// Fault affects each target in each slot with a probability.
type Fault struct {
	Kind     FaultKind
	Targets  hw.Set // processors, then routers; or media, for FaultMiss followed by receivers
	From, To uint32 // first and last slot
	Every    uint32 // period in slots, at least 1
	List     []uint32
	Chance   uint64 // probability per slot, in units of 2^-32

	RxFrames, TxFrames int // FIFO sizes for FaultBuffers in frames; 0 for the usual size

	Key string // scenario key of the probability
}

// Chance converts a probability, 0 to 1, to units of 2^-32, rounded up.
func Chance(probability float64) uint64 { return uint64(math.Ceil(math.Ldexp(probability, 32))) }

// In reports whether the fault covers a slot.
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

// First returns the first covered slot.
func (f *Fault) First() uint32 {
	if f.List != nil {
		return slices.Min(f.List)
	}
	return f.From
}

// Faults are the faults of a run. Whether a fault occurs depends only on the run's seed, the target and the slot, not
// on the order of queries.
type Faults struct {
	All    []Fault
	Off    bool // disables all faults
	Only   int  // number of the only enabled fault, counted from 1; 0 if all faults are enabled
	Except int  // number of the disabled fault, counted from 1; 0 for none
	Script *FaultScript
	names  Names
	misses misses
	stream hw.Stream
}

// FaultScript replaces the slots and probabilities of some faults, for exploration. It applies to one slot: faults of
// media affect the slot that crosses, faults of processors the boundary at its end.
type FaultScript struct {
	First int      // number of the first scripted fault; all later faults are scripted too
	Hit   []hw.Set // by fault, starting with First: targets hit in this slot

	// observations of the slot: media with light for a listener if no fault harms it, the receivers of this light,
	// and processors with due handlers
	Lit, Heard, Due hw.Set
}

func (s *FaultScript) reaches(f *Faults, processor int, port uint16) {
	if medium := f.names.HeardOn(processor, port); medium >= 0 {
		s.Lit.Add(medium)
		s.Heard.Add(f.misses.Of(processor, port))
	}
}

// NewFaults returns the faults for a run on a network.
func NewFaults(names Names, receivers Receivers, all []Fault, seed uint64) *Faults {
	f := &Faults{All: all, names: names, misses: missesOf(receivers, all)}
	f.Reset(seed)
	return f
}

// Reset sets the seed of the next run.
func (f *Faults) Reset(seed uint64) { f.stream = hw.NewStream(seed, hw.PurposeFault) }

// On reports whether any fault affects media (if media is set) or processors.
func (f *Faults) On(media bool) bool {
	for i := range f.All {
		if f.All[i].Kind.OnMedia() == media {
			return true
		}
	}
	return false
}

// Happens reports whether a fault affects a target in a slot.
func (f *Faults) Happens(number, target int, slot uint32) bool {
	fault := &f.All[number]
	if s := f.Script; s != nil && number >= s.First {
		return fault.Targets.Has(target) && s.Hit[number-s.First].Has(target)
	}
	return f.Active(number) && fault.In(slot) && fault.Targets.Has(target) && f.Draws(number, target, slot)
}

// Draws reports whether a fault's probability selects a target in a slot or cycle.
func (f *Faults) Draws(number, target int, at uint32) bool {
	return uint64(f.stream.Draw(uint32(target), at, uint16(number))) < f.All[number].Chance
}

// Active reports whether a fault is enabled in this run.
func (f *Faults) Active(number int) bool {
	return !f.Off && (f.Only == 0 || f.Only == number+1) && f.Except != number+1
}

// Shrinks reports whether a fault shrinks FIFOs in this run.
func (f *Faults) Shrinks(number int) bool {
	return f.All[number].Kind == FaultBuffers && f.All[number].Chance > 0 && f.Active(number)
}

// Effect is the effect of faults on the light of a medium in a slot.
type Effect uint8

// Effects. A flip does not affect frames in a collision, because both rails stay lit.
const (
	Unharmed Effect = iota // no fault applies
	Dark                   // no light passes
	Flipped                // one bit is inverted
	Missed                 // the light does not reach this receiver, but reaches other receivers of the medium
)

// OnMedium returns the effect on a medium in a slot, and the number of the fault. Darkness precedes flips; otherwise
// the first fault counts.
func (f *Faults) OnMedium(medium int, slot uint32) (effect Effect, number int) {
	for i := range f.All {
		kind := f.All[i].Kind
		if !kind.OnMedia() || kind == FaultCredit || kind == FaultMiss || effect == Flipped && kind == FaultFlip ||
			!f.Happens(i, medium, slot) {
			continue
		}
		if kind != FaultFlip {
			return Dark, i
		}
		effect, number = Flipped, i
	}
	return effect, number
}

// A miss is the loss of light at one receiver. A processor has one receiver, or one per port if it uses all ports at
// once. Receiver processor*Shape.Lanes+port hears one medium in a slot, so receiver and slot identify the missed
// frame. Darkness precedes misses, and misses precede flips.

// misses are the faults of kind FaultMiss.
type misses struct {
	faults []int // their numbers
	Receivers
}

// Receivers is the numbering of a network's receivers.
type Receivers struct {
	Media int // number of slotted media; receivers follow them in Fault.Targets
	Lanes int // receivers per processor
}

// Of returns the receiver of a processor at a port.
func (r Receivers) Of(processor int, port uint16) int {
	if r.Lanes == 1 {
		return processor
	}
	return processor*r.Lanes + int(port)
}

func missesOf(receivers Receivers, all []Fault) (m misses) {
	m.Receivers = receivers
	for i := range all {
		if all[i].Kind == FaultMiss {
			m.faults = append(m.faults, i)
		}
	}
	return m
}

// Misses reports whether receivers may miss light.
func (f *Faults) Misses() bool { return len(f.misses.faults) > 0 }

// MissedBy returns the fault that makes a receiver miss the light of a medium in a slot. ok is false for none. A
// fault affects a receiver if the receiver or the medium is a target. Each receiver has its own draws.
func (f *Faults) MissedBy(receiver, medium int, slot uint32) (number int, ok bool) {
	for _, i := range f.misses.faults {
		fault := &f.All[i]
		if s := f.Script; s != nil && i >= s.First {
			if medium < f.misses.Media && s.Hit[i-s.First].Has(f.misses.Media+receiver) {
				return i, true
			}
			continue
		}
		if f.Active(i) && fault.In(slot) && medium < f.misses.Media &&
			(fault.Targets.Has(medium) || fault.Targets.Has(f.misses.Media+receiver)) && f.Draws(i, receiver, slot) {
			return i, true
		}
	}
	return 0, false
}

// At returns the effect of faults on the light at a processor's port in a slot, the number of the fault, and the
// fault's target: a medium, or a receiver for Missed.
func (f *Faults) At(processor int, port uint16, slot uint32) (effect Effect, number, target int) {
	medium := f.names.HeardOn(processor, port)
	effect, number = f.OnMedium(medium, slot)
	if effect != Dark && f.Misses() && medium >= 0 {
		receiver := f.misses.Of(processor, port)
		if miss, ok := f.MissedBy(receiver, medium, slot); ok {
			return Missed, miss, f.misses.Media + receiver
		}
	}
	return effect, number, medium
}

// MissedAt returns the fault that makes a processor miss the light of a medium in a slot at the ports to which it
// listens. ok is false for none.
func (f *Faults) MissedAt(processor, medium int, ports uint16, slot uint32) (number int, ok bool) {
	for port := uint16(0); f.Misses() && port < ports; port++ {
		if f.names.HeardOn(processor, port) == medium {
			if number, ok = f.MissedBy(f.misses.Of(processor, port), medium, slot); ok {
				return number, true
			}
		}
	}
	return 0, false
}

// Bits of a frame that a flip may affect: source, destination and tag. A flip keeps the length and invalidates the
// CRC.
const (
	flipFirst = 32
	flipBits  = 80
)

// FlippedField returns the header field that contains a bit number of Faults.Bit.
func FlippedField(bit int) string {
	switch at := bit - flipFirst; {
	case at < 32:
		return "source"
	case at < 64:
		return "destination"
	}
	return "tag"
}

// FlipText describes the effect of a flip on a frame.
func (f *Faults) FlipText(number, medium int, slot uint32) string {
	bit := f.Bit(number, medium, slot)
	return fmt.Sprintf("flipped its bit %d, of the %s: its CRC was wrong, so it was dropped", bit, FlippedField(bit))
}

// flipDraw separates the draws of bits from the draws of the at most FaultsMax faults.
const flipDraw = 1 << 15

// FaultsMax is the maximum number of faults of a scenario.
const FaultsMax = 256

// Bit returns the bit, counted from 0, that a fault flips in a frame on a medium in a slot.
func (f *Faults) Bit(number, medium int, slot uint32) int {
	return flipFirst + int(hw.Below(f.stream.Draw(uint32(medium), slot, flipDraw|uint16(number)), flipBits))
}

// FaultCount counts the effects of a fault in a run and records the first.
type FaultCount struct {
	// number of pairs of processor and slot; for faults of media, of slot and receiver that the light would have
	// reached
	Count uint64
	Slot  uint32 // slot of the first effect
	Index uint32 // target of the first effect; the lowest of several targets in one slot; for FaultMiss always a receiver
}

// Note counts an effect.
func (c *FaultCount) Note(slot, index uint32) {
	c.Merge(&FaultCount{1, slot, index})
}

// Merge adds the count of another shard.
func (c *FaultCount) Merge(other *FaultCount) {
	if other.Count == 0 {
		return
	}
	if c.Count == 0 || other.Slot < c.Slot || other.Slot == c.Slot && other.Index < c.Index {
		c.Slot, c.Index = other.Slot, other.Index
	}
	c.Count += other.Count
}

// Smaller reports whether a fault has shrunk a processor's TX FIFO (tx) or RX FIFO.
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
	return f.Kind == FaultBuffers && f.Chance > 0 &&
		(tx && f.TxFrames > 0 || !tx && f.RxFrames > 0) && f.Targets.Has(processor)
}

// Suffer returns the effect of faults on the light at a processor's port in a slot, and counts the effect. met means
// that frames have collided, so flips have no effect. l.Faults must not be nil.
func (l *Ledger) Suffer(bank *nic.Bank, cell int, port uint16, slot uint32, met bool) Effect {
	effect, number, target := l.Faults.At(bank.First+cell, port, slot)
	if s := l.Faults.Script; s != nil {
		s.reaches(l.Faults, bank.First+cell, port)
	}
	if effect == Unharmed || effect == Flipped && met {
		return Unharmed
	}
	l.FaultCounts[number].Note(slot, uint32(target))
	return effect
}

// Harm is Suffer for transports without light; l.Faults may be nil. For a harmed port, Harm also sets and records the
// receiver's status, and the caller only counts the frame (Frames.Listened).
func (l *Ledger) Harm(bank *nic.Bank, cell int, port uint16, slot uint32, met bool) Effect {
	if l.Faults == nil { // the call is inlined up to here
		return Unharmed
	}
	return l.harm(bank, cell, port, slot, met)
}

func (l *Ledger) harm(bank *nic.Bank, cell int, port uint16, slot uint32, met bool) Effect {
	effect := l.Suffer(bank, cell, port, slot, met)
	switch effect {
	case Dark, Missed:
		bank.SetRx(cell, port, nic.StatusIdle)
	case Flipped:
		bank.SetRx(cell, port, nic.StatusCRC)
		l.NoteHeard(bank.First+cell, port, nic.StatusCRC, nil, slot)
	}
	return effect
}

// NoteSmall records that a frame did not fit into a processor's TX FIFO (tx) or RX FIFO after a fault had shrunk the
// FIFO.
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

// SetFaults sets the faults of the run, nil for none.
func (l *Ledger) SetFaults(f *Faults) {
	l.Faults = f
	if f != nil {
		l.FaultCounts, l.FaultActs = make([]FaultCount, len(f.All)), make([]FaultCount, len(f.All))
	}
}

// KeepFaults ends a boundary. It discards the faults of processors if the boundary was interrupted (whole is false).
func (l *Ledger) KeepFaults(whole bool) {
	for i := range l.FaultActs {
		if whole {
			l.FaultCounts[i].Merge(&l.FaultActs[i])
		}
		l.FaultActs[i] = FaultCount{}
	}
}

// StateFaults visits the counts at the end of a boundary.
func (l *Ledger) StateFaults(v *hw.StateVisitor, name string) {
	for i := range l.FaultCounts {
		c, at := &l.FaultCounts[i], fmt.Sprintf("%s.fault[%d]", name, i)
		hw.StateScalar(v, hw.Statistic, at+".count", &c.Count)
		hw.StateScalar(v, hw.Statistic, at+".slot", &c.Slot)
		hw.StateScalar(v, hw.Statistic, at+".index", &c.Index)
	}
}

// Empty records that a fault kills (dies) or restarts a processor with frames in its TX FIFO. Of these frames, goOn
// remain in flight.
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
