package emulator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/nic"
)

// Exploring is a machine that is stepped from any of its states, with faults chosen for each step. One goroutine uses
// it.
type Exploring struct {
	*Machine
	Script    *fabric.FaultScript
	Draws     *DrawScript // nil if draws follow the seed
	SlotRead  string      // first part known to read the slot number; "" if states do not depend on their slot
	snapshots *hw.Snapshots
	statics   []statics
	coverers  []firmware.Coverer // instances that record branches
}

// Explore builds a machine for exploration, in the slot engine unless the options say otherwise. The caller chooses
// the faults of c from number scripted on.
func Explore(ctx context.Context, c *config.Config, o Options, scripted int, classes hw.Classes) (*Exploring, error) {
	o.Spares = true
	o.Workers, o.BankSize = 1, c.Network.Shape().Processors()
	m, err := New(ctx, c, o)
	if err != nil {
		return nil, err
	}
	if m.bare != nil {
		return nil, errors.Join(c.Source.Refuse("fabric.netlist", "routers without firmware are not explored: they run "+
			"many cycles at a time, without intermediate states", "write firmware: {program: netlist/traffic}"), m.Release())
	}
	m.until(ctx)
	x := &Exploring{Machine: m, Draws: o.Draws, Script: &fabric.FaultScript{First: scripted,
		Lit: hw.NewSet(m.Shape.Media), Heard: hw.NewSet(m.Shape.Processors() * m.Network.Shape().Lanes()),
		Due: hw.NewSet(m.Shape.Processors())}}
	for _, fault := range c.Faults[scripted:] {
		x.Script.Hit = append(x.Script.Hit, hw.NewSet(64*len(fault.Targets.Words())))
	}
	if m.faults != nil {
		m.faults.plan.Script = x.Script
	}
	if x.SlotRead, err = x.slotReader(); err != nil {
		return nil, errors.Join(err, m.Release())
	}
	x.snapshots = hw.NewSnapshots(x.classes(classes), &machineState{Machine: m})
	for i := range m.Shards {
		for _, in := range m.Shards[i].Instances {
			in.Bank().Timeless = x.SlotRead == ""
			if c, ok := in.(firmware.Coverer); ok && o.HandlersCovered {
				x.coverers = append(x.coverers, c)
			}
			if in, ok := in.(staticInstance); ok {
				x.watch(in, in.StackEnd())
			}
		}
	}
	return x, nil
}

// classes removes the slot number from states that do not depend on it.
func (x *Exploring) classes(given hw.Classes) hw.Classes {
	if x.SlotRead != "" {
		return given
	}
	return func(name string, class hw.Class) hw.Class {
		switch {
		case name == "machine.slot":
			return hw.Derived
		case given != nil:
			return given(name, class)
		}
		return class
	}
}

// statics is a part of an instance's memory outside stack and bank; images keep static variables there.
type statics struct {
	in       staticInstance
	at       uint64
	attached []byte // contents after the attachment
	dummies  map[int]bool
}

type staticInstance interface {
	firmware.Instance
	StackEnd() uint64
	StaticAt(address uint32) (name string, dummy bool)
}

func (x *Exploring) watch(in staticInstance, from uint64) {
	memory := in.Memory()
	in.Bank().Outside(from, uint64(len(memory)), func(first, end uint64) {
		x.statics = append(x.statics, statics{in, first, bytes.Clone(memory[first:end]), map[int]bool{}})
	})
}

// Statics returns an error if firmware has changed a static variable, because states do not contain static variables.
func (x *Exploring) Statics() error {
	for i := range x.statics {
		s := &x.statics[i]
		now := s.in.Memory()[s.at : s.at+uint64(len(s.attached))]
		for at := 0; ; at++ {
			next := firstDifference(s.attached[at:], now[at:])
			if next < 0 {
				break
			}
			at += next
			if s.dummies[at] {
				continue
			}
			name, dummy := s.in.StaticAt(uint32(s.at) + uint32(at))
			if s.dummies[at] = dummy; dummy {
				continue
			}
			if name != "" {
				name = ", " + name
			}
			return x.Config.Source.Refuse("firmware", fmt.Sprintf(
				"%s has changed its static memory at address %#x%s; exploration returns to earlier states, which do "+
					"not contain static variables", x.Image.Name, s.at+uint64(at), name),
				"keep the variable in state_t; `starloom firmware check` names it")
		}
	}
	return nil
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// Save appends the state to future and rest; see hw.Snapshots.
func (x *Exploring) Save(future, rest []byte) (newFuture, newRest []byte) {
	return x.snapshots.Save(future, rest, x.slot)
}

// Return restores a state that Save has appended to empty slices. Call it between slots.
func (x *Exploring) Return(future, rest []byte, slot uint32) {
	x.snapshots.Return(future, rest, slot)
	x.forget()
	x.Findings.Kept = x.Findings.Kept[:0]
}

// WithoutSlot returns snapshots whose future columns omit the slot. The columns of two states of a run are equal if
// nothing has changed in between.
func (x *Exploring) WithoutSlot() *hw.Snapshots {
	return hw.NewSnapshots(func(name string, class hw.Class) hw.Class {
		if name == "slot" || strings.HasSuffix(name, ".slot") {
			return hw.Statistic
		}
		return class
	}, &machineState{Machine: x.Machine})
}

// Advance runs a slot with the faults of Script, up to the end of the boundary after the slot. The first call runs
// only the boundary of slot 0.
func (x *Exploring) Advance() {
	x.Script.Lit.Clear()
	x.Script.Heard.Clear()
	x.Script.Due.Clear()
	if x.Draws != nil {
		x.Draws.begin()
	}
	if !x.started {
		_ = x.Start(context.Background(), nil) // without a recording there are no errors
		return
	}
	_ = x.step(context.Background(), nil)
}

// Broken returns the violations of the last step. At the end of the run, it also judges the end.
func (x *Exploring) Broken() []outcome.Violation {
	if !x.ended {
		return x.Findings.Kept
	}
	end := x.Findings.clone()
	x.endFindings(&end)
	return end.Kept
}

// TakeBranches adds to a set of bits the branches that handlers have taken since the last call.
func (x *Exploring) TakeBranches(set *[]uint64) {
	for _, c := range x.coverers {
		if n := (c.Covered().Branches + 63) / 64; len(*set) < n {
			*set = append(*set, make([]uint64, n-len(*set))...)
		}
		c.TakeBranches(*set)
	}
}

// Lines counts the branches of the firmware by line, in the order of the image: the branches in a set, and all
// branches. It returns nil if no branches are recorded.
func (x *Exploring) Lines(set []uint64) (lines []outcome.ExploredLine) {
	if len(x.coverers) == 0 {
		return nil
	}
	return LinesOf(x.coverers[0], set)
}

// LinesOf counts the branches of an image by line, those of a set and all, in the order of the image.
func LinesOf(image firmware.Coverer, set []uint64) (lines []outcome.ExploredLine) {
	at := map[wasm.Frame]int{}
	for k, offset := range image.Covered().Offsets {
		frame, ok := ownFrame(image.FramesAt(uint64(offset)))
		if !ok {
			continue
		}
		i, known := at[frame]
		if !known {
			i = len(lines)
			at[frame] = i
			lines = append(lines, outcome.ExploredLine{Function: frame.Function, Source: frame.Source})
		}
		lines[i].Branches++
		if k/64 < len(set) && set[k/64]>>(k%64)&1 != 0 {
			lines[i].Reached++
		}
	}
	return lines
}

// ownFrame returns the innermost frame in the user's code, with its line alone. Branches of the SDK are not reported.
func ownFrame(frames []wasm.Frame) (own wasm.Frame, ok bool) {
	if len(frames) == 0 {
		return own, false
	}
	own = wasm.Frame{Function: frames[0].Function, Source: frames[0].Line()}
	return own, own.Source != "" && !strings.HasPrefix(own.Function, "starloom_") &&
		!strings.HasPrefix(path.Base(own.Source), "starloom")
}

// Dead reports whether a fault has killed a processor.
func (x *Exploring) Dead(processor int) bool { return x.faults.killed(processor) }

// SleepsWithin reports whether a sleeping handler will be called within slots slots without the arrival of a frame.
func (x *Exploring) SleepsWithin(slots uint32) bool {
	for processor := range x.Shape.Processors() {
		bank, cell := x.Cell(processor)
		r := &bank.Registers[cell]
		if r.Flags&nic.FlagSleeping != 0 && uint32(r.Wake-uint16(x.slot)) <= slots {
			return true
		}
	}
	return false
}

// BareDraw returns an error with the place of a call of sl_random in the last step, nil without one.
func (x *Exploring) BareDraw() error {
	if x.Draws == nil || !x.Draws.Bare {
		return nil
	}
	place := ""
	for i := range x.Findings.Kept {
		for _, frame := range x.Findings.Kept[i].Backtrace {
			if own, ok := ownFrame([]wasm.Frame{frame}); ok && place == "" && !strings.HasPrefix(own.Function, "sl_") {
				place = fmt.Sprintf(" in %s at %s", own.Function, own.Source)
			}
		}
	}
	return x.Config.Source.Refuse("explore.choices", x.Image.Name+" calls sl_random"+place+
		", whose 2^32 outcomes are not explored", "call sl_chance, sl_random_bits or sl_random_below there")
}

// StartsMax bounds the starts of all arbiters together.
const StartsMax = 4096

// Starts returns all starts of the arbiters: for each arbiter, the requester that is first in turn.
func (x *Exploring) Starts() (starts [][]config.ArbiterStart, err error) {
	arbiters := x.arbiterStarts()
	if len(arbiters) == 0 {
		return nil, x.Config.Source.Refuse("explore.choices", "no arbiter of this machine has a turn",
			"arbiters of the kind round_robin have turns; delete arbiter_start")
	}
	starts = [][]config.ArbiterStart{nil}
	for _, a := range arbiters {
		var more [][]config.ArbiterStart
		if uint64(len(starts)) > StartsMax/(a.cell.Limit+1) {
			return nil, x.Config.Source.Refuse("explore.choices", fmt.Sprintf("%d arbiters have more than %d starts together",
				len(arbiters), StartsMax), "explore a smaller machine, or delete arbiter_start")
		}
		for _, s := range starts {
			for first := range uint32(a.cell.Limit) + 1 {
				more = append(more, append(s[:len(s):len(s)], config.ArbiterStart{Arbiter: a.name, First: first}))
			}
		}
		starts = more
	}
	return starts, nil
}

// StartAt sets the turns of all arbiters in the reset state.
func (x *Exploring) StartAt(start []config.ArbiterStart) {
	for i, a := range x.arbiterStarts() {
		a.cell.Set(uint64(start[i].First))
	}
}
