package firmware

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
)

func (in *wasmInstance) Start() { in.run(in.start, 1, allCells(in.bank.Cells), 0) }

// allCells returns the cells of a bank. All banks share the list.
func allCells(count int) []uint32 {
	cellsLock.Lock()
	defer cellsLock.Unlock()
	for len(cellList) < count {
		cellList = append(cellList, uint32(len(cellList)))
	}
	return cellList[:count:count]
}

var (
	cellsLock sync.Mutex
	cellList  []uint32
)

func (in *wasmInstance) Slot(cells []uint32, slot uint32) {
	number, restore := in.bank.Number(cells, slot)
	in.run(in.slot, 2, cells, number)
	restore()
}

func (in *wasmInstance) ProfileSlot(cell, slot uint32) *Profile {
	p := &profile{counter: in.costs.counter, at: in.module.ExportedGlobal(wasm.AtName), bottom: &profileCall{}}
	p.top = p.bottom
	in.profile = p
	defer func() { in.profile = nil }()
	in.Slot([]uint32{cell}, slot)
	result := &Profile{Cost: p.counted, Cut: p.cut, Stacks: newStacks(in.image, p.bottom)}
	slices.SortStableFunc(result.Stacks, func(a, b ProfileStack) int { return cmp.Compare(b.Cost, a.Cost) })
	return result
}

func (in *wasmInstance) Restart(cells []uint32) {
	in.renew(cells)
	in.run(in.start, 1, cells, 0)
}

// renew resets processors. The report includes the stacks before.
func (in *wasmInstance) renew(cells []uint32) {
	var stacks []uint32
	for _, cell := range cells {
		if in.image.interpreted != nil {
			stacks = append(stacks, rv32.StackOf(in.bank.State(int(cell))))
		}
	}
	defer func() {
		for n, bytes := range stacks {
			rv32.PutStack(in.bank.State(int(cells[n])), bytes)
		}
	}()
	if len(cells) == in.bank.Cells { // an isolated instance is reset as a whole
		told := in.bank.Told()
		in.Reset(in.bank.Seed)
		in.bank.Tell(told)
	}
	for _, cell := range cells {
		in.bank.Restart(int(cell), in.pristine.memory)
		clear(in.probes[int(cell)*len(in.image.Probes):][:len(in.image.Probes)])
	}
}

// run calls an entry point for some cells. Without a proof that calls restore the stack pointer, run calls one cell
// at a time, so that a handler that leaks stack fails before others run out of stack.
func (in *wasmInstance) run(entry api.Function, params int, cells []uint32, slot uint32) {
	in.spent = in.spent[:0]
	in.interpreter.demand(1)
	defer in.interpreter.demand(0)
	defer in.countResumed(cells)
	if !in.image.believed {
		in.runAll(entry, params, cells, slot)
		return
	}
	for i := range cells {
		in.runAll(entry, params, cells[i:i+1:i+1], slot)
		if in.image.host.Stopped() {
			return
		}
		if err := in.kept(); err != nil {
			in.leave()
			if in.image.meter != nil {
				in.spent[i] = 0
			}
			in.fault(int(cells[i]), err)
		}
	}
}

// runAll calls an entry point for some cells. If a handler traps, its cell is marked faulty and the loop continues
// with the next cell. Changes by the firmware to the list of cells in its memory are ignored. After a stopped call
// (Host.Stopped), no handler is marked.
func (in *wasmInstance) runAll(entry api.Function, params int, cells []uint32, slot uint32) {
	in.turns.all, in.turns.laps = 0, uint64(len(cells))
	if !in.image.copy.Laps {
		in.turns.begin()
	}
	if in.image.meter != nil {
		in.runMetered(entry, cells, slot)
		return
	}
	for len(cells) > 0 {
		in.calling = cells
		in.bank.SetCurrent(-1)
		in.params = [3]uint64{uint64(copy(in.bank.Calls, cells)), uint64(slot)}
		in.runtime.begin(slot)
		in.enter()
		err := entry.CallWithStack(in.ctx, in.params[:params])
		if in.image.Runtime {
			in.endRuntimeCall()
		}
		if err == nil {
			return
		}
		err = in.overflowed(err)
		in.leave()
		var stopped stoppedError
		if errors.As(err, &stopped) {
			return
		}
		place := in.bank.Current()
		if uint64(place) >= uint64(len(cells)) {
			// The image has overwritten its descriptor. The trapped handler is therefore unknown, and no cell can
			// continue.
			for _, cell := range cells {
				in.fault(int(cell), err)
			}
			return
		}
		in.fault(int(cells[place]), err)
		cells = cells[place+1:]
	}
}

// runMetered is runAll for a metered image. The copy calls the handlers one by one, so that the trapped handler is
// known.
func (in *wasmInstance) runMetered(entry api.Function, cells []uint32, slot uint32) {
	for len(cells) > 0 {
		in.calling = cells
		n := copy(in.bank.Calls, cells)
		in.params = [3]uint64{uint64(n), uint64(slot), in.calls}
		in.costs.place.Set(math.MaxUint32)
		in.runtime.begin(slot)
		in.enter()
		err := entry.CallWithStack(in.ctx, in.params[:])
		if in.image.Runtime {
			in.endRuntimeCall()
		}
		if err == nil {
			in.spent = append(append(in.spent, in.bank.Calls[1:n]...), uint32(in.costs.counter.Get()))
			return
		}
		err = in.overflowed(err)
		in.leave()
		place := int(uint32(in.costs.place.Get()))
		in.spent = append(append(in.spent, in.bank.Calls[1:place+1]...), 0)
		if in.image.host.Stopped() {
			return
		}
		in.fault(int(cells[place]), err)
		cells = cells[place+1:]
	}
}

// each cell reports one fault, even if firmware has cleared the mark
func (in *wasmInstance) fault(cell int, err error) {
	if in.bank.Silenced(cell) {
		in.bank.Silence(cell)
		return
	}
	in.bank.Silence(cell)
	if in.image.interpreted != nil {
		if _, err := in.module.ExportedFunction(exportRelease).Call(in.ctx); err != nil {
			panic(err) // impossible: it writes words
		}
	}
	event := in.image.faultEvent(err)
	event.Cell = cell
	if event.Kind == EventTrap && in.runtime.panic != "" {
		event.Text = fmt.Sprintf("%s (%s)", in.runtime.panic, event.Text)
	}
	in.events = append(in.events, event)
}

// overflowed adds to a trap that the stack of the image or of the runtime has overflowed. Call it before leave.
func (in *wasmInstance) overflowed(err error) error {
	if !strings.HasPrefix(err.Error(), "wasm error: ") && firstLine(err) != "stack overflow" {
		return err // ended by the host
	}
	if recursive := in.image.Recursive(); strings.HasSuffix(firstLine(err), "stack overflow") && len(recursive) > 0 {
		return overflowError{err, ": too many nested calls of " + some(recursive)}
	}
	for i, g := range in.globals {
		if in.image.copy.Globals[i].GivenBack && int32(in.before[i]) > 0 && int32(g.Get()) < 0 {
			return overflowError{err, fmt.Sprintf(": the stack of %d bytes has overflowed", in.before[i])}
		}
	}
	return err
}

// countResumed completes the costs of handlers that took several turns, after the turns of a slot.
func (in *wasmInstance) countResumed(cells []uint32) {
	if in.interpreter == nil || !in.interpreter.resumed {
		return
	}
	in.interpreter.resumed = false
	for place, cell := range cells[:min(len(cells), len(in.spent))] {
		state := in.bank.State(int(cell))
		turns := rv32.TurnsOf(state)
		total := min(turns.Spent+uint64(in.spent[place]), LimitMax)
		switch {
		case in.bank.Silenced(int(cell)) || turns.Count == 0:
		case turns.Interrupted && in.image.meter.Key != "" && total > in.image.meter.Limit:
			in.spent[place] = 0
			pc, limit := in.Processor(int(cell)).PC, in.image.meter
			in.fault(int(cell), in.image.interpreted.trap(pc, spentError{limit.Limit, limit.Key}))
		case turns.Interrupted:
			in.spent[place] = CostGoesOn
		default:
			in.spent[place] = uint32(total)
			rv32.Turns{}.Put(state)
		}
	}
}
