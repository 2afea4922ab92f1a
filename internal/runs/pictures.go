package runs

import (
	"context"
	"fmt"
	"strings"

	"starloom/fabric/traffic"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/internal/picture"
	"starloom/traces"
)

// Pictures are where pictures of one run go.
type Pictures struct{ Topology, Heat, Latency, Timeline outputs.Output }

// each yields every kind with where it goes.
func (p *Pictures) each(yield func(kind picture.Kind, to *outputs.Output)) {
	yield(picture.KindTopology, &p.Topology)
	yield(picture.KindHeat, &p.Heat)
	yield(picture.KindLatency, &p.Latency)
	yield(picture.KindTimeline, &p.Timeline)
}

// pictures draws the run.
type pictures struct {
	nothing
	files map[picture.Kind]*traces.File
	seen  *picture.Collector // nil if no one need look
	took  *picture.Latency   // of packets or frames, as the run has ended
}

// captions say in a page what pictures show.
var captions = map[picture.Kind]string{
	picture.KindTopology: "What is wired to what: processors, media, and who drives and hears them. Marked: where rules were broken.",
	picture.KindHeat:     "Media over time: how many frames each had.",
	picture.KindLatency:  "How long packets or frames took.",
	picture.KindTimeline: "What processors did over time. Marked: where rules were broken.",
}

// ask has the memory counted that a picture of latencies takes.
func (p *pictures) ask(r *run) error {
	r.settings.Latencies = r.options.Pictures.Latency.Given() && r.config.Traffic == nil
	return nil
}

// open opens the files, and looks at the machine from here on if a picture needs it.
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
	page := r.options.HTML.Given()
	frames := (page || p.files[picture.KindLatency] != nil) && r.config.Traffic == nil
	if page || frames || p.files[picture.KindHeat] != nil || p.files[picture.KindTimeline] != nil {
		m := r.machine
		p.seen = picture.Look(m.Network, len(m.Shards), m.Slots(), frames)
		m.Look(p.seen)
	}
	return nil
}

// end looks no longer: what is repeated is not drawn.
func (p *pictures) end(r *run) error {
	r.machine.Look(nil)
	title := r.report.Title()
	if len(p.files) == 0 && !r.options.HTML.Given() {
		return nil
	}
	if referee, ok := r.machine.Referee.(*traffic.Referee); ok && r.config.Traffic != nil {
		arrived, left := referee.Latencies()
		p.took = picture.PacketLatency(title, arrived, left)
	} else if p.seen != nil {
		p.took = p.seen.Latency(title)
	}
	if p.took != nil {
		r.report.Aside.Known.Wait = p.longest(r)
	}
	return nil
}

// longest says how long anything that has arrived has waited.
func (p *pictures) longest(r *run) string {
	counts := p.took.Counts
	if len(counts) == 0 {
		return ""
	}
	slots := counts[len(counts)-1][0]
	if r.config.Known.Carries && r.config.Traffic == nil { // packets wait from slot 0 on
		return fmt.Sprintf("The run ended after %s.", traces.Plural(r.report.Slots, "slot", "slots"))
	}
	return fmt.Sprintf("The longest wait of a %s that was received: %s.", strings.TrimSuffix(p.took.What, "s"), traces.Plural(slots, "slot", "slots"))
}

// finish draws what was seen, with violations where the report says they are.
func (p *pictures) finish(_ context.Context, r *run) error {
	m := r.machine
	var violations []picture.Violation
	for _, v := range r.report.Violations {
		violations = append(violations, picture.Violation{Slot: v.Slot, Rule: v.Rule, Path: v.Path})
	}
	title := r.report.Title()
	for _, kind := range picture.Kinds {
		file := p.files[kind]
		if file == nil && !r.options.HTML.Given() {
			continue
		}
		var drawn interface{ SVG() ([]byte, error) }
		switch {
		case kind == picture.KindTopology:
			drawn = picture.TopologyOf(m.Network, title, violations)
		case kind == picture.KindHeat:
			drawn = p.seen.Heat(title)
		case kind == picture.KindTimeline:
			drawn = p.seen.Timeline(title, violations)
		case file == nil && len(p.took.Counts) == 0:
			continue // a page does without one that has nothing to draw
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
		r.report.Aside.Pictures = append(r.report.Aside.Pictures, outcome.Picture{Caption: captions[kind], SVG: svg})
		if file == nil {
			continue
		}
		if _, err := file.Write(svg); err != nil {
			return err
		}
	}
	return nil
}
