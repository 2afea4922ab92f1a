package check

import (
	"cmp"
	"errors"
	"fmt"

	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/internal/emulator"
	"starloom/nic"
)

const (
	writesMax       = 32      // listed writes outside the bank
	watchedBytesMax = 8 << 30 // maximum number of compared bytes, so that a check takes only seconds
)

type watcher struct {
	*checker
	m        *emulator.Machine
	endless  int                        // handlers that did not return
	kinds    map[firmware.WriteKind]int // index in the list of writes, -1 for writes that are not listed
	unlisted int                        // kinds of writes beyond a full list
	cut      bool                       // more writes were not examined
}

// watch runs the scenario banked, calls handlers one at a time, and records their writes and endless loops.
func (c *checker) watch() (err error) {
	n := c.processors()
	if n > watchedProcessorsMax {
		c.leave(fmt.Sprintf("writes of single handlers: %d processors are more than %d", n, watchedProcessorsMax))
		return nil
	}
	m, err := c.watched(false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Release()) }()
	w := &watcher{checker: c, m: m, kinds: map[firmware.WriteKind]int{}}
	slotBytes := 0
	w.each(func(handlers *firmware.Watched) { slotBytes += handlers.Bank().Cells * len(handlers.Memory()) })
	step := func() error { return m.Start(c.ctx, nil) }
	for compared := -slotBytes; !m.Ended() && compared < watchedBytesMax; compared += slotBytes {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
		step = m.Step
		w.each(w.note)
	}
	w.each(w.noteCarried)
	w.sum()
	return nil
}

func (w *watcher) each(take func(handlers *firmware.Watched)) {
	for _, shard := range w.m.Shards {
		for _, instance := range shard.Instances {
			take(instance.(*firmware.Watched))
		}
	}
}

func (w *watcher) note(handlers *firmware.Watched) {
	bank := handlers.Bank()
	for _, e := range handlers.TakeEndless() {
		if w.endless++; w.endless <= outcome.ViolationsMax {
			w.report.Stopped = append(w.report.Stopped, Stop{w.m.Slots(), w.m.Names.Processor(bank.First + e.Cell)})
			w.report.Faults = append(w.report.Faults, fmt.Sprintf("slot %d: %s: its handler traps in %s: %s",
				w.m.Slots(), w.m.Names.Processor(bank.First+e.Cell), eventPlace(&e), e.Text))
		}
	}
	writes, cut := handlers.TakeWrites()
	if w.alone { // a single processor shares its memory with no other
		return
	}
	w.cut = w.cut || cut
	for _, write := range writes {
		w.noteWrite(bank, &write)
	}
}

// noteWrite adds a write to the list. Even a full list gets harmful writes, because few kinds exist.
func (w *watcher) noteWrite(bank *nic.Bank, write *firmware.Write) {
	list := &w.report.Writes
	if k, ok := w.kinds[write.WriteKind]; ok {
		if k >= 0 {
			(*list)[k].Count += write.Calls
		}
		return
	}
	processor := bank.First + write.Cell
	x := Write{
		Slot: w.m.Slots(), Processor: processor, Path: w.m.Names.Processor(processor), Count: write.Calls,
		Column: write.Column, Address: write.Address, Global: write.Global, Grown: write.Grown,
		Before: fmt.Sprintf("%x", write.Before), After: fmt.Sprintf("%x", write.After),
	}
	switch {
	case write.Grows || write.Global != "":
	case write.Neighbour:
		neighbour := bank.First + write.Owner
		x.Neighbour = &neighbour
	case write.Column != "":
		x.Shared = true
	default:
		x.Variable = cmp.Or(write.Variable, fmt.Sprintf("memory at %#x, which has no name in the image", write.Address))
	}
	if !x.Harms() && len(*list) >= writesMax {
		w.unlisted++
		w.kinds[write.WriteKind] = -1
		return
	}
	w.kinds[write.WriteKind] = len(*list)
	*list = append(*list, x)
}

func (w *watcher) noteCarried(handlers *firmware.Watched) {
	for kind, k := range w.kinds {
		if k >= 0 && handlers.Carries(kind) {
			w.report.Writes[k].Carries = true
		}
	}
}

func (w *watcher) sum() {
	w.report.Watched = Watched{Slots: w.m.Slots(), Whole: w.m.Ended()}
	w.report.Firmware = w.m.Sum().Firmware
	if w.endless > outcome.ViolationsMax {
		w.leave(fmt.Sprintf("further handlers that do not return: the list ends after %d handlers of %d",
			outcome.ViolationsMax, w.endless))
	}
	if w.unlisted > 0 {
		w.leave(fmt.Sprintf("writes outside the bank: the list ends after %d, with %d more", writesMax,
			w.unlisted))
	}
	if w.cut {
		w.leave("further writes outside the bank: only some changes are recorded")
	}
}
