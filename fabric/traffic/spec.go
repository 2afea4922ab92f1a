// Package traffic implements the workload traffic on every fabric: it offers packets to firmware, tracks the packets
// and measures their latency. Packets are a function of workload, seed and processor alone; firmware carries them.
//
//	draws --> sources --word of the schedule--> firmware --frames--> referee --> figures
//	          (cursors)  <------cleared--------                     (flights)     log
//
// Time counts in slots, or in cycles in a streaming network. A packet is created at the beginning of a slot and
// offered at the next boundary. A source offers one packet at a time: newer packets wait until firmware clears the
// source's word. The queue consists of two cursors, at the next packet to create and at the next packet to offer, so
// the memory of a queue does not depend on its length. When the second cursor reaches a packet, the packet is drawn
// again.
package traffic

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

// Spec is the workload traffic with values for all defaults.
type Spec struct {
	fabric.Traffic
	Self     bool
	Timebase fabric.Timebase
	Window

	classes []class    // in the order of their numbers; nil for one queue for each source
	divided bool       // some class has virtual channels of its own
	rows    []rowClass // classes of Rows; nil without
}

// Window is the measured time: it contains packets created in the cycles From to End-1. The run ends in cycle Last at
// the latest.
type Window struct{ From, End, Last uint64 }

// Measures reports whether the window contains a cycle.
func (w *Window) Measures(cycle uint64) bool { return w.From <= cycle && cycle < w.End }

// Cycles returns the length of the window.
func (w *Window) Cycles() uint64 { return w.End - w.From }

// slots returns the number of slots that begin in the window; a slot has the given number of cycles.
func (w *Window) slots(cycles uint64) uint64 {
	return (w.End+cycles-1)/cycles - (w.From+cycles-1)/cycles
}

const (
	burstDefault   = 8
	warmUpDefault  = 1000
	measureDefault = 10000
	drainDefault   = 10000
)

// RateMin is the lowest rate.
const RateMin = 1e-8

// Settle fills in the defaults of a workload on a network. For a workload that the network cannot run, it returns an
// *input.Error whose place is a key of the scenario.
func Settle(t *fabric.Traffic, n fabric.Network, p *fabric.Program, base fabric.Timebase) (*Spec, error) {
	s := &Spec{Traffic: *t, Timebase: base}
	if s.Arrivals == "" {
		s.Arrivals = fabric.ArrivalsBernoulli
		if s.File != "" || s.Rows != nil {
			s.Arrivals = fabric.ArrivalsFile
		}
	}
	s.settle(n)
	err := s.settleWindow()
	if err == nil && len(s.Classes) > 0 {
		err = s.settleClasses(n)
	} else if err == nil {
		err = s.check(n.Shape().Processors())
	}
	if err != nil {
		return nil, err
	}
	return s, s.checkCarried(n, p)
}

func (s *Spec) check(processors int) error {
	if err := s.checkKeys(); err != nil {
		return err
	}
	return cmp.Or(s.checkPattern(processors), s.checkLists(processors))
}

func (s *Spec) settle(n fabric.Network) {
	file := s.Arrivals == fabric.ArrivalsFile
	a := n.Abilities()
	s.Self = a.Reflexive || a.Routers != nil // a router also returns packets to their own processor
	if s.Traffic.Self != nil {
		s.Self = *s.Traffic.Self
	}
	if !file {
		if s.Pattern == "" {
			s.Pattern = fabric.PatternUniform
		}
		if len(s.Size) == 0 {
			s.Size = []fabric.SizeShare{{Frames: 1}}
		}
	}
	if s.Arrivals == fabric.ArrivalsBursty && s.Burst == 0 {
		s.Burst = burstDefault
	}
}

func (s *Spec) settleWindow() error {
	warmUp, measure := uint64(warmUpDefault), uint64(measureDefault)
	file, each := s.Arrivals == fabric.ArrivalsFile, uint64(1)
	if s.Timebase.Unit != fabric.UnitCycles {
		each = uint64(s.Timebase.Cycles)
	}
	if file {
		warmUp = 0
	}
	own, whole := s.Traffic, file && s.Traffic.Measure == nil // windows set by the user are kept
	for _, w := range []struct {
		key   string
		given **fabric.Duration
		usual func() uint64
		to    *uint64
	}{
		{"warm_up", &own.WarmUp, func() uint64 { return warmUp }, &s.From},
		{"measure", &own.Measure, func() uint64 {
			if rows := len(s.Rows); file && rows > 0 {
				last := (s.Rows[rows-1].Created + each - 1) / each
				before := s.From / each
				return min(max(last, before)+1-before, windowMax)
			}
			return measure
		}, &s.End},
		{"drain", &own.Drain, func() uint64 { return drainDefault }, &s.Last},
	} {
		d := fabric.Duration{}
		if *w.given == nil {
			d.Count = w.usual()
		} else {
			d = **w.given
		}
		known, cycles, err := s.Timebase.Of(d, "workload.traffic."+w.key)
		if err != nil {
			return err
		}
		*w.given, *w.to = &known, cycles
	}
	s.Traffic = own
	s.End += s.From
	s.Last += s.End
	if rows := len(s.Rows); whole && rows > 0 && s.Rows[rows-1].Created >= s.End {
		return refuse(refusal{true, "file", fmt.Sprintf("%s has a packet that is created in cycle %d, but without measure "+
			"only "+
			"cycles up to %d are measured",
			s.File, s.Rows[rows-1].Created, s.End-1), "delete the row, or give warm_up or measure; packets outside the " +
			"window are not " +
			"measured"})
	}
	slot := uint64(s.Timebase.Cycles)
	if s.slots(slot) == 0 {
		word := strings.TrimSuffix(s.Timebase.Word, "s")
		return refuse(refusal{true, "measure",
			fmt.Sprintf("measure is %s, but no %s of %d cycles begins in this window", s.Measure, word, slot),
			fmt.Sprintf("give at least %d cycles", slot)})
	}
	return nil
}

// Within returns the workload with windows within the given number of slots or ticks.
func (s *Spec) Within(slots uint32) *Spec {
	own := *s
	windows := [3]uint64{uint64(slots / 10), uint64(max(slots/2, 1))}
	windows[2] = uint64(slots) - windows[0] - windows[1]
	for i, window := range []**fabric.Duration{&own.Traffic.WarmUp, &own.Traffic.Measure, &own.Traffic.Drain} {
		*window = &fabric.Duration{Count: windows[i], Unit: s.Timebase.Word}
	}
	if err := own.settleWindow(); err != nil {
		panic(err)
	}
	return &own
}

// windowMax is the maximum of default windows, in slots or cycles.
const windowMax = 1e9

// Keys returns the keys of the workload with all defaults.
func (s *Spec) Keys() *fabric.Traffic {
	t, self := s.Traffic, s.Self
	t.Self = &self
	return &t
}

// WindowText describes the window in the units of the scenario and in cycles.
func (s *Spec) WindowText() string {
	text := fmt.Sprintf("%s after %s", s.Measure, s.WarmUp)
	if s.Measure.Unit == fabric.UnitCycles && s.WarmUp.Unit == fabric.UnitCycles {
		return text
	}
	return fmt.Sprintf("%s (%d cycles after %d)", text, s.Cycles(), s.From)
}

// Schedule is the name of the schedule of firmware for traffic.
const Schedule = "traffic"

// Slots returns the slot limit of a run: slots, ticks, or cycles of bare packets.
func (s *Spec) Slots() uint32 {
	slot := uint64(s.Timebase.Cycles)
	return uint32(min((s.Last+slot-1)/slot, never-1)) // Go programs may exceed the limits of scenario files
}

// leaves returns the probability per slot that a bursty source starts a burst.
func (s *Spec) leaves() float64 { return s.Rate / (s.Burst * (1 - s.Rate)) }

type refusal struct {
	is                  bool
	key, reason, remedy string
}

func refuse(all ...refusal) error {
	for _, r := range all {
		if r.is {
			return input.Mistake(strings.TrimSuffix("workload.traffic."+r.key, "."), r.reason, r.remedy)
		}
	}
	return nil
}

func (s *Spec) checkKeys() error {
	file, bursty := s.Arrivals == fabric.ArrivalsFile, s.Arrivals == fabric.ArrivalsBursty
	t := &s.Traffic
	const inFile = ", but arrivals: file reads it from the file"
	if s.Pattern != "" && !slices.Contains(fabric.Patterns(), s.Pattern) {
		return refuse(refusal{true, "pattern", fmt.Sprintf("pattern is %q", s.Pattern),
			cmp.Or(fabric.PatternOf(s.Pattern),
				input.DidYouMean(s.Pattern, fabric.Patterns(), "allowed: "+strings.Join(fabric.Patterns(), ", ")))})
	}
	return refuse(
		refusal{!file && s.File != "", "file", "a file is given, but arrivals is " + s.Arrivals,
			"delete file, or write arrivals: file"},
		refusal{file && s.File == "" && s.Rows == nil, "arrivals", "arrivals is file, but no file is given",
			"add file: packets.csv, with columns source, destination, size and created"},
		refusal{file && t.Rate != 0, "rate", "rate is given" + inFile, "delete rate"},
		refusal{file && t.Pattern != "", "pattern", "a pattern is given" + inFile, "delete pattern"},
		refusal{file && len(t.Size) > 0, "size", "a size is given" + inFile, "delete size"},
		refusal{!file && t.Rate == 0, "rate", "there is no rate",
			"add rate, the packets per processor and slot, for example 0.1"},
		refusal{!file && (t.Rate < RateMin || t.Rate > 1), "rate", fmt.Sprintf("rate is %v", t.Rate),
			fmt.Sprintf("allowed: %v to 1", RateMin)},
		refusal{!bursty && t.Burst != 0, "burst", "burst is given, but arrivals is " + s.Arrivals,
			"delete burst, or write arrivals: bursty"},
		refusal{bursty && s.Burst < 1, "burst", fmt.Sprintf("burst is %v", s.Burst), "allowed: 1 or more"},
		refusal{bursty && s.Rate > s.Burst/(s.Burst+1), "rate",
			fmt.Sprintf("rate is %v, but bursts of %v packets with at least one slot between them allow at most %.6g", s.Rate,
				s.Burst, s.Burst/(s.Burst+1)),
			"give a lower rate or longer bursts"},
		refusal{s.Pattern == fabric.PatternHotspot && len(s.Hotspots) == 0, "hotspots",
			"pattern is hotspot, but no hotspots are given",
			"add hotspots: [{node: 0, share: 0.2}]"},
		refusal{s.Pattern != fabric.PatternHotspot && len(s.Hotspots) > 0, "hotspots",
			"hotspots are given, but pattern is " + s.Pattern,
			"delete them, or write pattern: hotspot"},
		refusal{s.Pattern == fabric.PatternNextGroup && s.Group == 0, "group",
			"pattern is next_group, but no group is given", "add the processors of a group, for example group: 8"},
		refusal{s.Pattern != fabric.PatternNextGroup && s.Group != 0, "group",
			"a group is given, but pattern is " + s.Pattern, "delete it, or write pattern: next_group"},
		refusal{s.Pattern != fabric.PatternTornado && s.Pattern != fabric.PatternNeighbour && len(s.Dimensions) > 0,
			"dimensions", "dimensions are given, but pattern is " + s.Pattern,
			"delete them, or write pattern: tornado or pattern: neighbour"},
		refusal{s.Pattern != fabric.PatternPermutation && len(s.Destinations) > 0, "destinations",
			"destinations are given, but pattern is " + s.Pattern, "delete them, or write pattern: permutation"},
	)
}

// checkLists rejects lists of a pattern that do not fit the number of processors.
func (s *Spec) checkLists(n int) error {
	product := 1
	for _, side := range s.Dimensions {
		product = min(product*max(side, 0), n+1)
	}
	count, outside := len(s.Destinations), slices.IndexFunc(s.Destinations, func(to int) bool { return to < 0 || to >= n })
	return refuse(
		refusal{len(s.Dimensions) > 0 && product != n, "dimensions",
			fmt.Sprintf("dimensions are %v, but the network has %d processors", s.Dimensions, n),
			"give sides whose product is the number of processors"},
		refusal{s.Group > 0 && (n%s.Group != 0 || n < 2*s.Group), "group",
			fmt.Sprintf("group is %d, but the network has %d processors", s.Group, n), "give a divisor, for 2 groups or more"},
		refusal{count > 0 && count != n, "destinations",
			fmt.Sprintf("destinations has %d numbers, but the network has %d processors", count, n),
			"give one number for each processor"},
		refusal{outside >= 0, hw.Index("destinations", outside), "there is no such processor",
			fmt.Sprintf("allowed: 0 to %d", n-1)},
	)
}

func (s *Spec) checkPattern(n int) error {
	of := fmt.Sprintf("pattern is %s, but the network has %d processors", s.Pattern, n)
	if side := int(squareRoot(uint32(n))); s.Pattern == fabric.PatternTranspose && side*side != n {
		return refuse(refusal{true, "pattern", of,
			fmt.Sprintf("use a square number of processors, such as %d or %d, or another "+
				"pattern", side*side, (side+1)*(side+1))})
	}
	if s.Pattern == fabric.PatternBitComplement || s.Pattern == fabric.PatternBitReverse ||
		s.Pattern == fabric.PatternShuffle {
		if n&(n-1) != 0 {
			below := 1 << (bits.Len(uint(n)) - 1)
			return refuse(refusal{true, "pattern", of, fmt.Sprintf("use a power of two for the number of processors, such as "+
				"%d or %d, or another "+
				"pattern", below, 2*below)})
		}
	}
	wrong := &input.Errors{}
	for i := range s.Rows {
		r := &s.Rows[i]
		if int(r.Source) >= n || int(r.Destination) >= n {
			wrong.Add(input.Mistake(fmt.Sprintf("%s:%d:1", s.Path, r.Line),
				fmt.Sprintf("a packet goes from %d to %d", r.Source, r.Destination), fmt.Sprintf("processors are 0 to %d", n-1)))
		}
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	shares := 0.0
	for i, h := range s.Hotspots {
		at := hw.Index("hotspots", i)
		if h.Node < 0 || h.Node >= n {
			return refuse(refusal{true, at + ".node", fmt.Sprintf("node is %d", h.Node),
				fmt.Sprintf("allowed: 0 to %d", n-1)})
		}
		if shares += h.Share; h.Share < 0 || shares > 1+1e-9 {
			return refuse(refusal{true, at + ".share", fmt.Sprintf("share is %v, and the sum up to this entry is "+
				"%v", h.Share, shares),
				"allowed: 0 to 1 for each, and for their sum"})
		}
	}
	for i, size := range s.Size {
		at := hw.Index("size", i)
		if size.Frames < 1 || size.Frames > sizeMax {
			return refuse(refusal{true, at + ".frames", fmt.Sprintf("a packet has %d frames", size.Frames),
				fmt.Sprintf("allowed: 1 to %d", sizeMax)})
		}
	}
	if s.Pattern != "" && !s.Self && n == 1 {
		return refuse(refusal{true, "self", "the network has one processor, but self is false",
			"write self: true, or use a network of 2 or more processors"})
	}
	return nil
}

// sizeMax is the maximum number of frames per packet: the word of the schedule has 8 bits for this number.
const sizeMax = 255

func (s *Spec) checkCarried(n fabric.Network, p *fabric.Program) error {
	if p == nil {
		return nil
	}
	c := p.Carries
	if c == nil {
		return nil // another check rejects a program without traffic
	}
	if s.Closed > 0 && !c.Closed {
		return refuse(refusal{true, "closed",
			fmt.Sprintf("closed is %d, but %s does not acknowledge packets", s.Closed, p.Name), "delete closed"})
	}
	if why := s.anywhere(c); why != "" {
		return refuse(refusal{true, "pattern", fmt.Sprintf("pattern is %s, but %s", s.Pattern, why),
			"use a pattern with reachable destinations, or arrivals: file"})
	}
	if c.Reaches == nil {
		return nil
	}
	for _, r := range s.Rows {
		if why := c.Reaches(int(r.Source), int(r.Destination)); why != "" {
			return refuse(refusal{true, "file", "a packet of the file cannot be carried: " + why, "give other packets"})
		}
	}
	if s.Arrivals == fabric.ArrivalsFile || s.isRandom() && (!s.Self || c.Reaches(0, 0) == "") {
		return nil
	}
	return s.checkReaches(n, c)
}

func (s *Spec) anywhere(c *fabric.Carries) string {
	if c.Anywhere == nil || s.Arrivals == fabric.ArrivalsFile || !s.isRandom() {
		return ""
	}
	return c.Anywhere()
}

func (s *Spec) isRandom() bool {
	return s.Pattern == fabric.PatternUniform || s.Pattern == fabric.PatternHotspot ||
		s.Pattern == fabric.PatternNextGroup || s.Pattern == fabric.PatternPermutation
}

// checkReaches rejects a pattern with a destination that a source cannot reach. For random patterns it checks only
// packets from a source to itself.
func (s *Spec) checkReaches(n fabric.Network, c *fabric.Carries) error {
	processors := n.Shape().Processors()
	p := newPattern(s, processors, 0, 0)
	for source := range processors {
		to := source
		if !s.isRandom() {
			to = int(p.fixed(uint32(source)))
		}
		if to == source && !s.Self {
			continue
		}
		if why := c.Reaches(source, to); why != "" {
			key, remedy := "pattern", "use another pattern, or arrivals: file"
			if to == source {
				key, remedy = "self", "write self: false"
			}
			return refuse(refusal{true, key, fmt.Sprintf("pattern is %s, but %s", s.Pattern, why), remedy})
		}
	}
	return nil
}
