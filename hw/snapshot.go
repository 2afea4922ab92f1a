package hw

import (
	"encoding/binary"
	"unsafe"
)

// Class describes how a column of state affects the future of a machine. Exploration compares states by their Future
// columns.
type Class uint8

const (
	Future    Class = iota + 1 // can influence later behaviour or the verdict of a rule
	Statistic                  // counts past events; no rule judges it
	Derived                    // follows from future columns
)

// Snapshots takes and returns states of parts in memory. It visits the parts once and keeps a plan: the memory of
// each column and its class. Snapshots revisits parts with temporary columns (AfterRestore) for each snapshot.
// Snapshots are valid only for this machine and for identically built machines of the same process.
type Snapshots struct {
	classes Classes
	plan    []planned
	after   []func()
	visit   StateVisitor
	raw     snapshotVisit
}

// planned is a step of the plan: memory, a list, the live data of a component, or a part to visit.
type planned struct {
	class  Class
	memory []byte
	list   stateList
	live   *Live
	part   func(v *StateVisitor)
	prefix string // of the part's columns
}

// Live is the canonical form of a component's state between two slots. It holds only values that can influence the
// future; it omits heard slots and unused places of FIFOs.
type Live struct {
	// Save appends the state before a slot crosses.
	Save func(to []byte, slot uint32) []byte
	// Return restores the state and returns the rest of the input.
	Return func(from []byte, slot uint32) (rest []byte)
}

type stateList interface {
	save(to []byte) []byte
	restore(from []byte) []byte
}

// snapshotVisit is a visit of all parts to build the plan, or of one part for a snapshot.
type snapshotVisit struct {
	planning, returning bool
	temporary           bool // planning: the part has temporary columns

	s            *Snapshots
	slot         uint32 // slot that crosses next
	future, rest []byte // columns saved so far, or input that is not yet restored
}

// Classes replaces the class of a column, for tests of the classes. name begins with the path of the column's part.
type Classes func(name string, class Class) Class

// NewSnapshots plans snapshots of parts. The parts must not move their columns. classes may be nil.
func NewSnapshots(classes Classes, parts ...Stateful) *Snapshots {
	s := &Snapshots{classes: classes}
	v := &StateVisitor{snapshot: &snapshotVisit{planning: true, s: s}}
	for _, part := range parts {
		v.Within(part)
	}
	s.visit.snapshot, s.raw.s = &s.raw, s
	return s
}

// Save appends the state before a slot crosses: the Future columns to future, and the others to rest. States with
// equal Future columns behave alike from now on.
func (s *Snapshots) Save(future, rest []byte, slot uint32) (newFuture, newRest []byte) {
	for i := range s.plan {
		switch p := &s.plan[i]; {
		case p.memory != nil && p.class == Future:
			future = append(future, p.memory...)
		case p.memory != nil:
			rest = append(rest, p.memory...)
		case p.live != nil:
			future = p.live.Save(future, slot)
		case p.list != nil && p.class == Future:
			future = p.list.save(future)
		case p.list != nil:
			rest = p.list.save(rest)
		default:
			s.raw.returning, s.raw.slot, s.raw.future, s.raw.rest = false, slot, future, rest
			s.visit.prefix = p.prefix
			p.part(&s.visit)
			future, rest = s.raw.future, s.raw.rest
		}
	}
	return future, rest
}

// Return restores a state that Save has appended to two empty slices.
func (s *Snapshots) Return(future, rest []byte, slot uint32) {
	for i := range s.plan {
		p := &s.plan[i]
		from := &rest
		if p.class == Future {
			from = &future
		}
		switch {
		case p.memory != nil:
			*from = (*from)[copy(p.memory, *from):]
		case p.live != nil:
			future = p.live.Return(future, slot)
		case p.list != nil:
			*from = p.list.restore(*from)
		default:
			s.raw.returning, s.raw.slot, s.raw.future, s.raw.rest = true, slot, future, rest
			s.visit.prefix = p.prefix
			p.part(&s.visit)
			future, rest = s.raw.future, s.raw.rest
		}
	}
	for _, rebuild := range s.visit.rebuild {
		rebuild()
	}
	clear(s.visit.rebuild)
	s.visit.rebuild = s.visit.rebuild[:0]
	for _, rebuild := range s.after {
		rebuild()
	}
}

// Snapshots reports whether the visit is for a snapshot. Parts then visit live data with Live.
func (v *StateVisitor) Snapshots() bool { return v.snapshot != nil }

// Live visits the live data of a component, for snapshots only.
func (v *StateVisitor) Live(live Live) {
	switch x := v.snapshot; {
	case x.planning:
		x.s.plan = append(x.s.plan, planned{live: &live})
	case x.returning:
		x.future = live.Return(x.future, x.slot)
	default:
		x.future = live.Save(x.future, x.slot)
	}
}

// Group visits a part without its own path. If the part has temporary columns, each snapshot visits it.
func (v *StateVisitor) Group(part func(v *StateVisitor)) {
	x := v.snapshot
	if x == nil || !x.planning {
		part(v)
		return
	}
	outer, first, after := x.temporary, len(x.s.plan), len(x.s.after)
	x.temporary = false
	part(v)
	if x.temporary {
		x.s.plan, x.s.after = append(x.s.plan[:first], planned{part: part, prefix: v.prefix}), x.s.after[:after]
	}
	x.temporary = outer
}

func (x *snapshotVisit) class(prefix, name string, class Class) Class {
	if x.s.classes == nil {
		return class
	}
	return x.s.classes(prefix+name, class)
}

func (x *snapshotVisit) derive(rebuild func()) { x.s.after = append(x.s.after, rebuild) }

func (x *snapshotVisit) memory(class Class, column []byte) {
	to := &x.rest
	if class == Future {
		to = &x.future
	}
	switch {
	case len(column) == 0:
	case x.planning:
		x.s.plan = append(x.s.plan, planned{class: class, memory: column})
	case x.returning:
		*to = (*to)[copy(column, *to):]
	default:
		*to = append(*to, column...)
	}
}

func snapshotList[T Fixed](x *snapshotVisit, class Class, list *[]T) {
	l := fixedList[T]{list}
	to := &x.rest
	if class == Future {
		to = &x.future
	}
	switch {
	case x.planning:
		x.s.plan = append(x.s.plan, planned{class: class, list: l})
	case x.returning:
		*to = l.restore(*to)
	default:
		*to = l.save(*to)
	}
}

type fixedList[T Fixed] struct{ list *[]T }

func (l fixedList[T]) save(to []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(len(*l.list)))
	return append(to, bytesOf(*l.list)...)
}

func (l fixedList[T]) restore(from []byte) []byte {
	n := int(binary.LittleEndian.Uint32(from))
	if cap(*l.list) < n {
		*l.list = make([]T, n)
	}
	*l.list = (*l.list)[:n]
	return from[4+copy(bytesOf(*l.list), from[4:]):]
}

// bytesOf returns the memory of a column.
func bytesOf[T Fixed](column []T) []byte {
	_, size := kindOf[T]()
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), len(column)*size)
}
