package runs

import (
	"context"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/traffic"
	"starloom/internal/outputs"
	"starloom/internal/picture"
	"starloom/traces"
	"starloom/traces/input"
)

// Pictures are the outputs for pictures of one run.
type Pictures struct{ Topology, Heat, Latency, Timeline outputs.Output }

func (p *Pictures) each(yield func(kind picture.Kind, to *outputs.Output)) {
	yield(picture.KindTopology, &p.Topology)
	yield(picture.KindHeat, &p.Heat)
	yield(picture.KindLatency, &p.Latency)
	yield(picture.KindTimeline, &p.Timeline)
}

type pictures struct {
	nothing
	files map[picture.Kind]*traces.File
	seen  *picture.Collector // nil if no picture needs it
	flits *picture.Channels  // flits on channels between routers; nil if no picture uses them
	took  *picture.Latency   // latencies of packets or frames, set at the end
	loads []float64          // loads of channels between routers, set at the end; nil for none
	bare  struct {           // results of a run without firmware, set at the end
		stuck    []int // routers in a deadlock
		timeline *picture.Timeline
	}
}

var captions = map[picture.Kind]string{
	picture.KindTopology: "The wiring: processors, media, and their senders and listeners.",
	picture.KindHeat:     "Media over time: the number of frames on each.",
	picture.KindLatency:  "Latencies of packets or frames.",
	picture.KindTimeline: "Activity of processors over time.",
}

const channelsCaption = "Channels over time: the number of flits on each."

func (p *pictures) ask(r *run) error {
	r.settings.Latencies = r.options.Pictures.Latency.Given() && r.config.Traffic == nil
	return nil
}

func (p *pictures) open(r *run) (err error) {
	p.files = map[picture.Kind]*traces.File{}
	r.options.Pictures.each(func(kind picture.Kind, to *outputs.Output) {
		if err != nil || !to.Given() {
			return
		}
		p.files[kind], err = r.out.Open("--svg "+string(kind), string(kind), *to)
	})
	if err != nil {
		return err
	}
	page := r.options.Reports.HTML.Given()
	frames := (page || p.files[picture.KindLatency] != nil) && r.config.Traffic == nil
	loads := p.files[picture.KindTopology] != nil && picture.Loaded(r.machine.Network)
	if r.config.Bare() {
		page = page || p.files[picture.KindTimeline] != nil
	} else if page || frames || loads || p.files[picture.KindHeat] != nil || p.files[picture.KindTimeline] != nil {
		m := r.machine
		p.seen = picture.Look(m.Network, len(m.Shards), m.Slots(), frames)
		m.Look(p.seen)
	}
	if channels := r.machine.Channels(); channels != nil && (page || p.files[picture.KindHeat] != nil) {
		p.flits = picture.Crossing(r.machine.Network, channels, r.machine.Cycles())
		r.machine.LookAtCycles(p.flits.Cycle)
	}
	return nil
}

// end stops observing: repetitions are not drawn.
func (p *pictures) end(r *run) error {
	r.machine.Look(nil)
	if p.flits != nil {
		r.machine.LookAtCycles(nil)
	}
	title := r.report.Title()
	if len(p.files) == 0 && !r.options.Reports.HTML.Given() {
		return nil
	}
	if referee, ok := r.machine.Referee.(traffic.Packets); ok && r.config.Traffic != nil {
		arrived, left := referee.Latencies()
		p.took = picture.PacketLatency(title, "cycles", "From the creation of a packet to the arrival of its last "+
			"bits at the destination", arrived, left)
	} else if p.seen != nil {
		p.took = p.seen.Latency(title)
	}
	if loads := r.machine.Loads(); loads != nil {
		p.loads = loads.PerCycle(r.report.Cycles)
	}
	if b := r.machine.Bare(); b != nil {
		for _, k := range b.Knots() {
			for _, h := range k.Cycle {
				p.bare.stuck = append(p.bare.stuck, h.To)
			}
		}
		if p.flits != nil {
			p.bare.timeline = p.flits.Timeline(title, r.report.Cycles, b.Network().Packets, drawnViolations(r.report))
		}
	}
	if limit := uint64(r.config.Rules.DeadlineSlots); p.seen != nil && limit > 0 && !r.config.Known.Carries {
		r.report.Aside.Late = p.late(r.report, limit)
	}
	return nil
}

// placedMax is the maximum number of faults with a mark.
const placedMax = 16

// placedFaults returns the slots of faults whose slots are listed.
func placedFaults(faults []fabric.Fault, from, end uint32) (slots []uint32) {
	for i := range faults {
		for _, slot := range faults[i].List {
			if from <= slot && slot < end && len(slots) < placedMax && !slices.Contains(slots, slot) {
				slots = append(slots, slot)
			}
		}
	}
	return slots
}

func drawnViolations(report *outcome.Report) (violations []picture.Violation) {
	for _, v := range report.Violations {
		violations = append(violations,
			picture.Violation{Slot: min(v.Slot, max(report.Slots, 1)-1), Rule: v.Rule, Path: v.Path})
	}
	return violations
}

func (p *pictures) late(report *outcome.Report, limit uint64) *outcome.Lateness {
	l := &outcome.Lateness{What: [2]string{"frame", "frames"}, Deadline: limit, Never: "were not received"}
	for i := range report.Violations {
		if report.Violations[i].Rule == fabric.RuleDeadline {
			l.Late++
		}
	}
	came := 0
	for _, count := range p.took.Counts {
		if slots, frames := count[0], count[1]; slots > limit {
			came += int(frames)
			l.Most = slots
		}
	}
	if l.Late = max(l.Late, came); l.Late == 0 {
		return nil
	}
	l.Lost = l.Late - came
	return l
}

func (p *pictures) finish(_ context.Context, r *run) error {
	violations := drawnViolations(r.report)
	title := r.report.Title()
	for _, kind := range picture.Kinds {
		file := p.files[kind]
		if file == nil && !r.options.Reports.HTML.Given() {
			continue
		}
		var drawn interface{ SVG() ([]byte, error) }
		switch {
		case kind == picture.KindTopology:
			topology, err := p.topology(r, violations)
			if err != nil {
				return err
			} else if topology == nil {
				continue
			}
			drawn = topology
		case kind == picture.KindHeat && p.flits != nil:
			drawn = p.flits.Heat(title, r.report.Cycles)
		case kind == picture.KindHeat:
			drawn = p.seen.Heat(title)
		case kind == picture.KindTimeline && p.seen == nil:
			drawn = p.bare.timeline
		case kind == picture.KindTimeline:
			t := p.seen.Timeline(title, violations)
			t.Faults = placedFaults(r.config.Faults, t.From, t.From+t.Slots)
			drawn = t
		case file == nil && len(p.took.Counts) == 0:
			continue // a page omits empty pictures
		default:
			drawn = p.took
		}
		svg, err := drawn.SVG()
		if err != nil && file == nil {
			continue
		}
		if err != nil {
			return err
		}
		caption := captions[kind]
		if kind == picture.KindHeat && p.flits != nil {
			caption = channelsCaption
		}
		drawing := outcome.Picture{Caption: caption, SVG: svg}
		if narrow, ok := drawn.(interface{ Narrow() ([]byte, error) }); ok && r.options.Reports.HTML.Given() {
			if drawing.Narrow, err = narrow.Narrow(); err != nil {
				return err
			}
		}
		r.report.Aside.Pictures = append(r.report.Aside.Pictures, drawing)
		if file == nil {
			continue
		}
		if _, err := file.Write(svg); err != nil {
			return err
		}
	}
	return nil
}

func (p *pictures) topology(r *run, violations []picture.Violation) (*picture.Topology, error) {
	m, title := r.machine, r.report.Title()
	if m.Bare() != nil {
		routers := picture.RoutersOf(m.Network, title, p.loads, p.bare.stuck)
		if routers == nil && p.files[picture.KindTopology] != nil {
			return nil, input.Mistake("--svg topology", "a picture has no room for this many routers",
				"delete it; load.most in the report lists the most loaded channels")
		}
		return routers, nil
	}
	var faults []picture.Violation
	for k := range r.report.Faults {
		if first := r.report.Faults[k].First; first != nil {
			faults = append(faults, picture.Violation{Slot: first.Slot, Rule: r.report.FaultName(k), Path: first.Path})
		}
	}
	topology := picture.TopologyOf(m.Network, title, violations, faults)
	topology.Load(p.seen)
	if p.loads != nil {
		topology.Channels(m.Network, p.loads)
	}
	return topology, nil
}
