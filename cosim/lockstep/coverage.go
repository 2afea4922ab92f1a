package lockstep

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/hw"
)

// Coverage records the input values and input events that lockstep runs have exercised in cycles without reset. Bugs
// that need other inputs stay undetected.
type Coverage struct {
	ports       []cosim.Port
	ones, zeros []uint64
	events      []twin.Event
	left        []uint64   // bits that have not happened yet, by event
	now         twin.Cycle // cycle that the events inspect
	clocked     bool
	resetWord   int
	ran, again  bool
	started     bool // this run has had a cycle without reset
	shown       int
}

// Gap is an input value or event that no cycle exercised.
type Gap struct {
	Input string `json:"input"`
	Bits  string `json:"bits,omitempty"` // [7:0]; "" for all
	Never string `json:"never"`          // "1", "0", "1 or 0", or the missing event

	// an event of several ports, or of a port in a certain state; texts always list such events
	Together bool `json:"together,omitempty"`
}

func newCoverage(m *twin.Model) *Coverage {
	c := &Coverage{
		ones: make([]uint64, len(m.Inputs())), zeros: make([]uint64, len(m.Inputs())),
		events: m.Events, clocked: m.Clocked(), resetWord: m.ResetWord(),
		now: twin.Cycle{Inputs: m.Inputs(), Outputs: m.Outputs()},
	}
	for _, e := range m.Events {
		c.left = append(c.left, ^uint64(0)>>(64-e.Bits))
	}
	for _, p := range m.Ports() {
		if p.Input && !p.Clock && p.Name != "reset" {
			c.ports = append(c.ports, p)
		}
	}
	return c
}

func (c *Coverage) clone() *Coverage {
	if c == nil {
		return nil
	}
	all := *c
	all.ones, all.zeros, all.left = slices.Clone(c.ones), slices.Clone(c.zeros), slices.Clone(c.left)
	return &all
}

func (c *Coverage) set(to *Coverage) {
	if c == nil {
		return
	}
	copy(c.ones, to.ones)
	copy(c.zeros, to.zeros)
	copy(c.left, to.left)
	c.now, c.ran, c.again, c.started, c.shown = to.now, to.ran, to.again, to.started, to.shown
}

// begin starts a run, whose first reset is not counted.
func (c *Coverage) begin() { c.started, c.now.First = false, true }

func (c *Coverage) see() {
	inputs := c.now.Inputs
	if c.clocked && inputs[c.resetWord]&1 != 0 {
		c.again, c.now.First = c.again || c.started, true
		return
	}
	c.ran, c.started = true, true
	for i, word := range inputs {
		c.ones[i] |= word
		c.zeros[i] |= ^word
	}
	for i := range c.events {
		if left := c.left[i]; left != 0 {
			c.left[i] &^= c.events[i].Of(&c.now)
			c.shown += bits.OnesCount64(left &^ c.left[i])
		}
	}
	c.now.First = false
}

// Add merges the coverage of other runs of the same model.
func (c *Coverage) Add(other *Coverage) {
	for i := range c.ones {
		c.ones[i] |= other.ones[i]
		c.zeros[i] |= other.zeros[i]
	}
	for i := range c.left {
		c.left[i] &= other.left[i]
	}
	c.ran, c.again = c.ran || other.ran, c.again || other.again
}

// Gaps lists the missing events, then the missing bit values by input.
func (c *Coverage) Gaps() (gaps []Gap) {
	for i, e := range c.events {
		if len(e.Never) == e.Bits { // every bit is a separate event
			for bit, never := range e.Never {
				if c.left[i]>>bit&1 != 0 {
					gaps = append(gaps, Gap{Input: e.Input, Never: never, Together: true})
				}
			}
			continue
		}
		first := len(gaps)
		gaps = appendGaps(gaps, e.Input, e.Bits, func(bit int) string {
			if c.left[i]>>bit&1 == 0 {
				return ""
			}
			return e.Never[0]
		})
		for k := first; k < len(gaps); k++ {
			if gaps[k].Bits != "" { // bits of a phit, not of the input
				gaps[k].Never, gaps[k].Bits = fmt.Sprintf("%s in bits %s of a phit", e.Never[0], gaps[k].Bits), ""
			}
		}
	}
	for _, p := range c.ports {
		kind := func(bit int) string {
			one, zero := hw.GetBits(c.ones[p.Word:], bit, 1) != 0, hw.GetBits(c.zeros[p.Word:], bit, 1) != 0
			switch {
			case one && zero:
				return ""
			case one:
				return "0"
			case zero:
				return "1"
			}
			return "1 or 0"
		}
		gaps = appendGaps(gaps, p.Name, p.Bits, kind)
	}
	if c.clocked && c.ran && !c.again {
		gaps = append(gaps, Gap{Input: "reset", Never: "again after the first cycles"})
	}
	return gaps
}

// appendGaps merges neighbouring bits with equal gaps, highest bits first.
func appendGaps(gaps []Gap, name string, bits int, kind func(bit int) string) []Gap {
	for end := bits; end > 0; {
		low := end - 1
		never := kind(low)
		for low > 0 && kind(low-1) == never {
			low--
		}
		if never != "" {
			g := Gap{Input: name, Never: never}
			if end-low < bits {
				g.Bits = cosim.SliceText("", low, end)
			}
			gaps = append(gaps, g)
		}
		end = low
	}
	return gaps
}

// gapsMax is the maximum number of bit gaps in a text; missing events are always listed.
const gapsMax = 6

// GapsText lists gaps in one line.
func GapsText(gaps []Gap) string {
	var all []string
	plain := 0
	for _, g := range gaps {
		if !g.Together {
			if plain++; plain > gapsMax {
				continue
			}
		}
		all = append(all, fmt.Sprintf("%s%s never %s", g.Input, g.Bits, g.Never))
	}
	if plain > gapsMax {
		all = append(all, fmt.Sprintf("and %d more", plain-gapsMax))
	}
	return strings.Join(all, "; ")
}
