package check

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
	"starloom/internal/explore"
)

// Slot arithmetic of too few bits, or with a sign, is wrong around a power of two. A timer that is set before it and
// ends after it shows the mistake: a period of any length is then running for most distances.
var (
	carryPowers = []uint{8, 16, 31}
	carryAfter  = []uint32{9, 10, 12, 17} // slots of a run up to the power
)

// carryControl is the first slot of a run that crosses no power of those for 224 slots.
const carryControl = 32

// carries searches runs whose slots cross a power of two, within the bounds of other searches. Firmware that also
// breaks the rule from carryControl on counts from slot 0, and gets a note.
func (c *checker) carries(bounds explore.Bounds, stated bool, budget uint64) error {
	if c.config.Firmware.FirstSlot != 0 || !c.readsSlot() ||
		slices.ContainsFunc(c.report.Talks, func(t Talk) bool { return t.Fails() }) {
		return nil
	}
	judged := ownStatement
	if stated {
		judged = nil
	}
	var all *Talk
	for _, power := range carryPowers {
		for _, after := range carryAfter {
			t, err := c.searchFrom(1<<power-after, bounds, stated, budget/uint64(len(carryPowers)*len(carryAfter)), judged)
			if refused(err) && all == nil {
				c.report.NotTried = append(c.report.NotTried, "first slots near 2^8, 2^16 and 2^31: "+err.Error())
				return nil
			}
			if err != nil {
				return err
			}
			if t.Violation != nil {
				control, err := c.searchFrom(carryControl, bounds, stated, t.Slots, judged)
				if err != nil {
					return err
				}
				t.Note = control.Violation != nil && control.Violation.Rule == t.Violation.Rule
			}
			if all != nil {
				t.Slots, t.Trials, t.States = t.Slots+all.Slots, t.Trials+all.Trials, t.States+all.States
				t.Branches.Reached = max(t.Branches.Reached, all.Branches.Reached)
			}
			if all = t; t.Violation != nil {
				c.report.Talks = append(c.report.Talks, *t)
				return nil
			}
		}
	}
	all.FirstSlot = nil
	all.FirstSlots = true
	c.report.Talks = append(c.report.Talks, *all)
	return nil
}

// searchFrom is search with a number of slot 0.
func (c *checker) searchFrom(first uint32, bounds explore.Bounds, stated bool, budget uint64,
	judged func(v *outcome.Violation) bool) (*Talk, error) {
	own := *c
	config := *c.config
	config.Firmware.FirstSlot, own.config = first, &config
	t, err := own.search(bounds, stated, max(1, budget), judged) // with 0, it explores
	if err != nil {
		return nil, err
	}
	t.FirstSlot = &first
	if t.Again != "" {
		t.Again = strings.Replace(t.Again, " --seed ", fmt.Sprintf(" --set firmware.first_slot=%d --seed ", first), 1)
	}
	return t, nil
}

// readsSlot reports whether the firmware may read the number of the slot.
func (c *checker) readsSlot() bool {
	image, err := c.imageBytes()
	if c.config.Firmware.Program != nil {
		image, err = firmware.ProgramImage(c.config.Firmware.Name)
	}
	if err != nil || rv32.Is(image) {
		return true
	}
	reads, err := wasm.ReadsSlot(image)
	return err != nil || reads
}
