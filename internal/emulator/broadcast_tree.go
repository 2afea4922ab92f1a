package emulator

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/nic"
)

// wayShown is how many processors of a way are named.
const wayShown = 6

// ways are those of a message that one processor tells all: from whom each one hears first, -1 for no one, in the run
// without faults, and whom it has missed in the run with faults.
type ways struct {
	from   []int
	heard  []heardAt
	missed map[int]bool
	killed map[int]bool // of these, by faults
}

// heardAt is where and when a processor hears a message first.
type heardAt struct {
	port uint16
	slot uint32
}

// Shard implements Onlookers. A processor belongs to one shard.
func (w *ways) Shard(int) fabric.Onlooker { return w }

func (*ways) Boundary(uint32) {}

func (*ways) Acted(*nic.Bank, []uint32, uint32) {}

func (*ways) Sent(int, nic.FrameView, uint32, bool) {}

func (*ways) Blocked(int, nic.FrameView, uint32) {}

func (*ways) Collided(int, uint32) {}

func (w *ways) Heard(processor int, port uint16, status nic.Status, frame nic.FrameView, slot uint32) {
	if status == nic.StatusOK && w.from[processor] < 0 && frame.Header().Kind == nic.KindData {
		w.from[processor], w.heard[processor] = int(frame.Source()), heardAt{port, slot}
	}
}

// to is the way from a processor to another, without both; nil if it is not known.
func (w *ways) to(from, processor int) (by []int, known bool) {
	for at := w.from[processor]; len(by) <= len(w.from); at = w.from[at] {
		if at < 0 {
			return nil, false
		}
		if at == from {
			return by, true
		}
		by = append([]int{at}, by...)
	}
	return nil, false
}

// text says where the way of a message was cut; fate is what a fault has done to a frame that a processor should have heard.
func (w *ways) text(source, processor int, fate func(processor int, at heardAt) string) string {
	by, known := w.to(source, processor)
	switch first := slices.IndexFunc(by, func(other int) bool { return w.missed[other] }); {
	case w.killed[processor]:
		return ": a fault has killed it"
	case !known:
		return ""
	case first >= 0 && w.killed[by[first]]:
		return fmt.Sprintf(": it comes by way of %s, and a fault has killed %d", way(by), by[first])
	case first >= 0:
		return fmt.Sprintf(": it comes by way of %s, and %d had not received it", way(by), by[first])
	case len(by) > 0:
		return fmt.Sprintf(": it comes by way of %s, and after %d %s", way(by), by[len(by)-1], fate(processor, w.heard[processor]))
	}
	return fmt.Sprintf(": it comes straight from %d, and %s", source, fate(processor, w.heard[processor]))
}

func way(by []int) string {
	noun := "processor "
	if len(by) > 1 {
		noun = "processors "
	}
	names := make([]string, 0, wayShown+1)
	for k, processor := range by {
		if k == wayShown {
			names = append(names, fmt.Sprintf("and %d more", len(by)-k))
			break
		}
		names = append(names, fmt.Sprint(processor))
	}
	return noun + strings.Join(names, ", ")
}
