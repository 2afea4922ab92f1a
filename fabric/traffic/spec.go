package traffic

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces/input"
)

// Spec is the workload traffic with all that its keys leave open.
type Spec struct {
	fabric.Traffic
	Self   bool
	WarmUp uint32 // slots before those that are measured
	Drain  uint32 // slots after them
}

// The defaults of the keys.
const (
	burstDefault   = 8
	warmUpDefault  = 1000
	measureDefault = 10000
	drainDefault   = 10000
)

// RateMin is the least rate.
const RateMin = 1e-8

// Settle gives what a workload leaves open its value on a network, and refuses what cannot be: an
// *input.Error whose place is a key of the scenario. A slot has so many cycles.
func Settle(t *fabric.Traffic, n fabric.Network, p *fabric.Program, slotCycles int) (*Spec, error) {
	s := &Spec{Traffic: *t}
	if s.Arrivals == "" {
		s.Arrivals = fabric.ArrivalsBernoulli
		if s.File != "" || s.Rows != nil {
			s.Arrivals = fabric.ArrivalsFile
		}
	}
	s.settle(n, slotCycles)
	for _, check := range []func() error{s.checkKeys, func() error { return s.checkPattern(n.Shape().Processors()) }} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	return s, s.checkCarried(n, p)
}

// settle fills in what is left out.
func (s *Spec) settle(n fabric.Network, slotCycles int) {
	file := s.Arrivals == fabric.ArrivalsFile
	if r, ok := n.(fabric.Reflexive); ok {
		s.Self = r.Reflexive()
	}
	s.Self = s.Self || fabric.RoutersOf(n) != nil // a router turns packets of its own processor
	if s.Traffic.Self != nil {
		s.Self = *s.Traffic.Self
	}
	s.WarmUp, s.Drain = warmUpDefault, drainDefault
	if file {
		s.WarmUp = 0
	} else {
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
	if s.Traffic.WarmUp != nil {
		s.WarmUp = *s.Traffic.WarmUp
	}
	if s.Traffic.Drain != nil {
		s.Drain = *s.Traffic.Drain
	}
	if s.Measure == 0 {
		s.Measure = measureDefault
		if rows := len(s.Rows); file && rows > 0 {
			last := (s.Rows[rows-1].Created + uint64(slotCycles) - 1) / uint64(slotCycles)
			s.Measure = uint32(min(max(last+1, uint64(s.WarmUp)+1)-uint64(s.WarmUp), 1e9))
		}
	}
}

// Keys are those of the workload, with all that was left open.
func (s *Spec) Keys() *fabric.Traffic {
	t := s.Traffic
	self, warmUp, drain := s.Self, s.WarmUp, s.Drain
	t.Self, t.WarmUp, t.Drain = &self, &warmUp, &drain
	return &t
}

// Schedule is what fills the schedule of firmware that carries traffic.
const Schedule = "traffic"

// Slots is after how many slots a run ends at the latest.
func (s *Spec) Slots() uint32 {
	return uint32(min(uint64(s.WarmUp)+uint64(s.Measure)+uint64(s.Drain), never-1)) // from Go they may be more than in a file
}

// leaves is the probability with which a bursty source leaves the time between two bursts in a slot.
func (s *Spec) leaves() float64 { return s.Rate / (s.Burst * (1 - s.Rate)) }

// refusal is a value that cannot be.
type refusal struct {
	is                  bool
	key, reason, remedy string
}

// refuse returns the first one as an error.
func refuse(all ...refusal) error {
	for _, r := range all {
		if r.is {
			return &input.Error{Place: strings.TrimSuffix("workload.traffic."+r.key, "."), Reason: r.reason, Remedy: r.remedy}
		}
	}
	return nil
}

// checkKeys refuses keys that do not go together.
func (s *Spec) checkKeys() error {
	file, bursty := s.Arrivals == fabric.ArrivalsFile, s.Arrivals == fabric.ArrivalsBursty
	t := &s.Traffic
	const inFile = ", and arrivals: file has it in the file"
	if s.Pattern != "" && !slices.Contains(fabric.Patterns(), s.Pattern) {
		return refuse(refusal{true, "pattern", fmt.Sprintf("pattern is %q", s.Pattern),
			input.DidYouMean(s.Pattern, fabric.Patterns(), "allowed are "+strings.Join(fabric.Patterns(), ", "))})
	}
	return refuse(
		refusal{!file && s.File != "", "file", "a file is given, and arrivals is " + s.Arrivals, "delete file, or write arrivals: file"},
		refusal{file && s.File == "" && s.Rows == nil, "arrivals", "arrivals is file, and no file is given",
			"add file: packets.csv, with columns source, destination, size and created"},
		refusal{file && t.Rate != 0, "rate", "rate is given" + inFile, "delete rate"},
		refusal{file && t.Pattern != "", "pattern", "a pattern is given" + inFile, "delete pattern"},
		refusal{file && len(t.Size) > 0, "size", "a size is given" + inFile, "delete size"},
		refusal{!file && t.Rate == 0, "rate", "there is no rate", "add rate, packets that a processor creates in a slot: 0.1"},
		refusal{!file && (t.Rate < RateMin || t.Rate > 1), "rate", fmt.Sprintf("rate is %v", t.Rate), fmt.Sprintf("allowed are %v to 1", RateMin)},
		refusal{!bursty && t.Burst != 0, "burst", "burst is given, and arrivals is " + s.Arrivals, "delete burst, or write arrivals: bursty"},
		refusal{bursty && s.Burst < 1, "burst", fmt.Sprintf("burst is %v", s.Burst), "allowed are 1 and more"},
		refusal{bursty && s.Rate > s.Burst/(s.Burst+1), "rate",
			fmt.Sprintf("rate is %v, and bursts of %v packets with a slot or more between them allow %.6g", s.Rate, s.Burst, s.Burst/(s.Burst+1)),
			"give a lower rate or longer bursts"},
		refusal{s.Pattern == fabric.PatternHotspot && len(s.Hotspots) == 0, "hotspots", "the pattern is hotspot, and there are no hotspots",
			"add hotspots: [{node: 0, share: 0.2}]"},
		refusal{s.Pattern != fabric.PatternHotspot && len(s.Hotspots) > 0, "hotspots", "hotspots are given, and the pattern is " + s.Pattern,
			"delete them, or write pattern: hotspot"},
	)
}

// checkPattern refuses patterns that are not for so many processors, and packets to processors that are not there.
func (s *Spec) checkPattern(n int) error {
	of := fmt.Sprintf("pattern is %s, and there are %d processors", s.Pattern, n)
	if side := int(squareRoot(uint32(n))); s.Pattern == fabric.PatternTranspose && side*side != n {
		return refuse(refusal{true, "pattern", of,
			fmt.Sprintf("take a square number of processors, %d or %d, or another pattern", side*side, (side+1)*(side+1))})
	}
	if s.Pattern == fabric.PatternBitComplement || s.Pattern == fabric.PatternBitReverse || s.Pattern == fabric.PatternShuffle {
		if n&(n-1) != 0 {
			below := 1 << (bits.Len(uint(n)) - 1)
			return refuse(refusal{true, "pattern", of, fmt.Sprintf("take a power of two of processors, %d or %d, or another pattern", below, 2*below)})
		}
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		if int(r.Source) >= n || int(r.Destination) >= n {
			return &input.Error{Place: fmt.Sprintf("%s:%d:1", s.Path, r.Line), Reason: fmt.Sprintf("a packet goes from %d to %d", r.Source, r.Destination),
				Remedy: fmt.Sprintf("processors are 0 to %d", n-1)}
		}
	}
	shares := 0.0
	for i, h := range s.Hotspots {
		at := hw.Index("hotspots", i)
		if h.Node < 0 || h.Node >= n {
			return refuse(refusal{true, at + ".node", fmt.Sprintf("node is %d", h.Node), fmt.Sprintf("allowed are 0 to %d", n-1)})
		}
		if shares += h.Share; h.Share < 0 || shares > 1+1e-9 {
			return refuse(refusal{true, at + ".share", fmt.Sprintf("share is %v, with those before it %v", h.Share, shares),
				"allowed are 0 to 1 for all of them together"})
		}
	}
	for i, size := range s.Size {
		at := hw.Index("size", i)
		if size.Frames < 1 || size.Frames > sizeMax {
			return refuse(refusal{true, at + ".frames", fmt.Sprintf("a packet has %d frames", size.Frames), fmt.Sprintf("allowed are 1 to %d", sizeMax)})
		}
	}
	if s.Pattern != "" && !s.Self && n == 1 {
		return refuse(refusal{true, "self", "there is one processor, and self is false", "write self: true, or take a network of 2 processors or more"})
	}
	return nil
}

// sizeMax is the most frames of a packet: a word of the schedule has 8 bits for them.
const sizeMax = 255

// checkCarried refuses what the program, or an image on the network, cannot carry.
func (s *Spec) checkCarried(n fabric.Network, p *fabric.Program) error {
	if p == nil {
		return nil
	}
	c := p.Carries
	if c == nil {
		return nil // the program does not carry traffic at all, which is refused elsewhere
	}
	if s.Closed > 0 && !c.Closed {
		return refuse(refusal{true, "closed", fmt.Sprintf("closed is %d, and %s does not acknowledge packets", s.Closed, p.Name), "delete closed"})
	}
	if why := s.anywhere(c); why != "" {
		return refuse(refusal{true, "pattern", fmt.Sprintf("pattern is %s, and %s", s.Pattern, why),
			"take a pattern whose destinations they reach, or arrivals: file"})
	}
	if c.Reaches == nil {
		return nil
	}
	for _, r := range s.Rows {
		if why := c.Reaches(int(r.Source), int(r.Destination)); why != "" {
			return refuse(refusal{true, "file", "a packet of the file cannot be carried: " + why, "give other packets"})
		}
	}
	if s.Arrivals == fabric.ArrivalsFile || s.draws() && (!s.Self || c.Reaches(0, 0) == "") {
		return nil
	}
	return s.checkReaches(n, c)
}

// anywhere says why destinations that are drawn cannot be reached.
func (s *Spec) anywhere(c *fabric.Carries) string {
	if c.Anywhere == nil || s.Arrivals == fabric.ArrivalsFile || !s.draws() {
		return ""
	}
	return c.Anywhere()
}

// draws reports whether the pattern draws destinations.
func (s *Spec) draws() bool {
	return s.Pattern == fabric.PatternUniform || s.Pattern == fabric.PatternHotspot || s.Pattern == fabric.PatternPermutation
}

// checkReaches refuses a pattern with a destination that a source does not reach. One that draws is checked for what
// goes to its source.
func (s *Spec) checkReaches(n fabric.Network, c *fabric.Carries) error {
	processors := n.Shape().Processors()
	p := newPattern(s, processors, 0, 0)
	for source := range processors {
		to := source
		if !s.draws() {
			to = int(p.fixed(uint32(source)))
		}
		if to == source && !s.Self {
			continue
		}
		if why := c.Reaches(source, to); why != "" {
			key, remedy := "pattern", "take another pattern, or arrivals: file"
			if to == source {
				key, remedy = "self", "write self: false"
			}
			return refuse(refusal{true, key, fmt.Sprintf("pattern is %s, and %s", s.Pattern, why), remedy})
		}
	}
	return nil
}
