package traffic

import (
	"fmt"
	"math"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces"
)

// window summarises the measured packets of a run: their arrival, the saturation of the network, and the notes about
// both.
type window struct {
	spec              *Spec
	unit              string
	created, accepted uint64  // number of packets created in the window; number received in the window, whenever created
	pending, lost     uint64  // numbers of created packets: neither arrived nor lost; lost
	excused           uint64  // number of pending packets whose source or destination a fault has killed
	over              bool    // all packets have arrived or are lost, or the drain time has ended
	way               float64 // mean time from the first frame of a packet to its last frame, for notes
	slotCycles        uint64  // cycles per unit
	growing           growing
}

// growthBatches is the number of batches in half a window. They yield the variance of arrivals.
const growthBatches = 32

type growth struct {
	times   uint32
	gone    uint64
	created [growthBatches]uint64
}

// Growth counts as saturation above this share of the created packets, or above this many standard deviations of
// their number.
const (
	saturatedShare      = 0.015
	saturatedDeviations = 2.33
	saturatedPackets    = 500 // fewest packets for a verdict
	// packets come in bursts if the variance of their number exceeds that of independent arrivals by this factor
	burstsVary = 2
)

type growing struct {
	first, end uint64
	halves     [2]growth
}

func newGrowing(w *Window, slotCycles uint64) growing {
	g := growing{first: (w.From + slotCycles - 1) / slotCycles, end: (w.End + slotCycles - 1) / slotCycles}
	times := uint32(g.end - g.first)
	g.halves = [2]growth{{times: times / 2}, {times: times - times/2}}
	return g
}

func (g *growing) part(time uint32) (half, batch int, ok bool) {
	at, middle := uint64(time), g.first+(g.end-g.first)/2
	switch {
	case at < g.first || at >= g.end:
		return 0, 0, false
	case at < middle:
		return 0, int((at - g.first) * growthBatches / (middle - g.first)), true
	}
	return 1, int((at - middle) * growthBatches / (g.end - middle)), true
}

func (g *growing) comes(at uint32) {
	if half, batch, ok := g.part(at); ok {
		g.halves[half].created[batch]++
	}
}

func (g *growing) goes(at uint32) {
	if half, _, ok := g.part(at); ok {
		g.halves[half].gone++
	}
}

func (g *growth) all() (n uint64) {
	for _, created := range g.created {
		n += created
	}
	return n
}

// variance returns the variance of the number of created packets: for independent packets the number itself, for
// bursts the variance of batches.
func (g *growth) variance() float64 {
	n, squares := float64(g.all()), 0.0
	first := uint64(0) // first time of a batch; the lengths of batches differ by at most one time
	for k, created := range g.created {
		end := (uint64(k+1)*uint64(g.times) + growthBatches - 1) / growthBatches
		d := float64(created) - float64(n*float64(end-first))/float64(g.times)
		squares, first = squares+float64(d*d), end
	}
	batches := min(g.times, growthBatches)
	if seen := squares * float64(batches) / float64(batches-1); batches > 1 && seen > burstsVary*n {
		return seen
	}
	return n
}

// grows reports whether the number of packets inside the network grows more than by chance. known is false with too
// few packets for a verdict. The limit for bursts corresponds to that for independent packets.
func (g *growth) grows() (grows, known bool) {
	n, variance := float64(g.all()), g.variance()
	if n == 0 || float64(n*n) < saturatedPackets*variance {
		return false, false
	}
	return n-float64(g.gone) > min(saturatedShare*n, saturatedDeviations*math.Sqrt(variance)), true
}

// saturated reports whether the number of packets inside the network grows in the second half of the window.
func (w *window) saturated() (saturated, known bool) { return w.growing.halves[1].grows() }

// late describes the overdue measured packets, or returns "". Other rules judge lost packets. The key overload
// excuses all overdue packets if at least one packet arrives in the window. late also reports a window without
// packets, and a window with only lost packets.
func (w *window) late() string {
	switch {
	case !w.over:
		return ""
	case w.created == 0:
		return "no packet was created in the measured window, so nothing was measured"
	case w.lost == w.created && w.accepted == 0:
		return fmt.Sprintf("nothing has arrived: %s lost",
			traces.Plural(w.lost, "measured packet was", "measured packets were"))
	case w.pending == w.excused, w.spec.Overload && w.accepted > 0:
		return ""
	}
	left := fmt.Sprintf("%d of %s not arrived %s after the window in which they were created", w.pending-w.excused,
		traces.Plural(w.created, "measured packet has", "measured packets have"), w.spec.Drain)
	if w.accepted == 0 {
		left += ", and no packet arrived in the window"
		if w.spec.Overload {
			left += ", which overload does not excuse"
		}
	}
	return left
}

func (w *window) limits(limits map[string]string) map[string]string {
	for _, rule := range []string{fabric.RuleDeadline, fabric.RuleLatency} {
		if limit := limits[rule]; limit != "" {
			limits[rule] = fmt.Sprintf("%s: %s, from creation", limit,
				traces.Plural(w.created-w.lost, "measured packet judged", "measured packets judged"))
			if w.lost > 0 {
				limits[rule] += fmt.Sprintf("; no_loss and exactly_once judge %d lost", w.lost)
			}
		}
	}
	return limits
}

func (w *window) span() string {
	return fmt.Sprintf("cycles %d to %d", w.spec.From, w.spec.End-1)
}

func (w *window) addSaturated(m *fabric.Metrics, whole bool) {
	saturated, known := w.saturated()
	m.AddKnown(whole && known, "saturated", map[bool]int{true: 1}[saturated])
}

func (w *window) of() string {
	if w.pending == 0 {
		return ""
	}
	return "of the packets that have arrived"
}

func (w *window) arrivedOnly() string {
	return fmt.Sprintf("of the %d of %d packets that have arrived", w.created-w.lost-w.pending, w.created)
}

func (w *window) notes() (notes []string) {
	if !w.over {
		return w.outside(notes)
	}
	s := w.spec
	saturated, known := w.saturated()
	g := &w.growing.halves[1]
	switch {
	case saturated:
		notes = append(notes, fmt.Sprintf("saturated: in the second half of the measured window %d packets were created "+
			"and %d received or lost, so queues grow, "+
			"and latencies depend on how long was measured; give a lower rate", g.all(), g.gone))
	case !known:
		burst := ""
		if n := float64(g.all()); n >= saturatedPackets {
			burst = fmt.Sprintf(" in bursts, worth only %d independent ones", int(n*n/g.variance()))
		}
		notes = append(notes, fmt.Sprintf("saturated is not known: too few packets to tell, %d in the second half of the "+
			"measured window%s, and it takes %d; "+
			"measure longer", g.all(), burst, saturatedPackets))
	}
	if w.pending > 0 && w.pending+w.lost < w.created {
		notes = append(notes, "latencies are those "+w.arrivedOnly()+": those that have not would be the longest")
	}
	if grew, _ := w.growing.halves[0].grows(); grew && !saturated && s.Arrivals != fabric.ArrivalsFile {
		notes = append(notes, fmt.Sprintf("the warm-up of %s is too short for a steady state: in the first half of the "+
			"measured window %d packets were created and "+
			"%d received or lost; give a longer warm-up", s.WarmUp, w.growing.halves[0].all(), w.growing.halves[0].gone))
	} else if w.way*float64(w.slotCycles) > float64(s.From) && s.Arrivals != fabric.ArrivalsFile {
		notes = append(notes, fmt.Sprintf("the warm-up of %s is shorter than the mean latency of a packet (%s): the state "+
			"was "+
			"not steady when the "+
			"measured window began; give a longer warm-up", s.WarmUp, w.wayText()))
	}
	return w.outside(notes)
}

func (w *window) wayText() string {
	text := fmt.Sprintf("%.4g %ss", w.way, w.unit)
	if text == "1 "+w.unit+"s" {
		return "1 " + w.unit
	}
	return text
}

func (w *window) outside(notes []string) []string {
	s := w.spec
	longest, before, after := 0, 0, 0
	for _, size := range s.Size {
		longest = max(longest, size.Frames)
	}
	for i := range s.Rows {
		longest = max(longest, int(s.Rows[i].Size))
		switch at := uint64(s.Rows[i].Created); {
		case at < s.From:
			before++
		case at >= s.End:
			after++
		}
	}
	if uint64(longest)*w.slotCycles > s.Cycles() {
		notes = append(notes, fmt.Sprintf("a packet of %d is longer than the measured window, %s; measure longer", longest,
			w.span()))
	}
	if outside := before + after; outside > 0 {
		var parts []string
		for _, part := range []struct {
			n    int
			text string
		}{{before, "before"}, {after, "after"}} {
			if part.n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s it", part.n, part.text))
			}
		}
		notes = append(notes, fmt.Sprintf("%d of %s of %s are outside the measured window, %s (%s), and are not measured; "+
			"change warm_up or measure", outside,
			traces.Plural(len(s.Rows), "row", "rows"), s.File, w.span(), strings.Join(parts, ", ")))
	}
	return notes
}

func (g *growth) state(v *hw.StateVisitor, name string) {
	hw.StateScalar(v, hw.Future, name+".gone", &g.gone)
	hw.StateColumn(v, hw.Future, name+".created", g.created[:])
}
