package runs

import (
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

// end draws what was seen.
func (p *pictures) end(r *run) error {
	m := r.machine
	m.Look(nil)
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
		case r.config.Traffic != nil:
			arrived, left := m.Referee.(*traffic.Referee).Latencies()
			drawn = picture.PacketLatency(title, arrived, left)
		default:
			drawn = p.seen.Latency(title)
		}
		svg, err := drawn.SVG()
		if err != nil && file == nil {
			continue // a page does without one that has nothing to draw
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
