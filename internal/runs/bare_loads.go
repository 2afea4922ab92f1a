package runs

import (
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/internal/picture"
	"starloom/traces"
	"starloom/traces/input"
)

// look looks at channels, if a picture or the page shows them.
func (r *bareRun) look(o *Options) {
	if !o.HTML.Given() && !o.Pictures.Heat.Given() && !o.Pictures.Timeline.Given() {
		return
	}
	r.channels = picture.Crossing(r.config.Network, r.network, r.kernel.Cycle())
	before := r.watch
	r.watch = func(cycle uint64) error {
		r.channels.Cycle(cycle)
		if before == nil {
			return nil
		}
		return before(cycle)
	}
}

// draw draws the pictures of a run.
func (r *bareRun) draw(report *outcome.Report, o *Options, out *outputs.Set) error {
	title := report.Title()
	arrived, left := r.packets.Latencies()
	took := picture.PacketLatency(title, "cycles", "From the cycle in which a packet is created to that in which its tail is at the sink", arrived, left)
	drawn := map[picture.Kind]interface{ SVG() ([]byte, error) }{picture.KindLatency: took}
	var stuck []int
	for _, k := range r.knots {
		for _, h := range k.Cycle {
			stuck = append(stuck, h.To)
		}
	}
	if t := picture.RoutersOf(r.config.Network, title, r.loads.PerCycle(r.kernel.Cycle()), stuck); t != nil {
		drawn[picture.KindTopology] = t
	}
	if r.channels != nil {
		var broken []picture.Violation
		for _, v := range report.Violations {
			broken = append(broken, picture.Violation{Slot: min(v.Slot, max(report.Slots, 1)-1), Rule: v.Rule, Path: v.Path})
		}
		drawn[picture.KindHeat] = r.channels.Heat(title, report.Cycles)
		drawn[picture.KindTimeline] = r.channels.Timeline(title, report.Cycles, r.packets.Packets, broken)
	}
	captions := map[picture.Kind]string{
		picture.KindTopology: "Routers, and how loaded their channels are.", picture.KindHeat: channelsCaption,
		picture.KindLatency: "How long packets took.", picture.KindTimeline: "What sources and sinks did over time.",
	}
	var err error
	o.Pictures.each(func(kind picture.Kind, to *outputs.Output) {
		asked := to.Given()
		if err != nil || !asked && !o.HTML.Given() || captions[kind] == "" {
			return
		}
		if drawn[kind] == nil {
			if asked {
				err = &input.Error{Place: "--svg topology", Reason: "there are more routers than a picture has room for",
					Remedy: "delete it; load.most of the report has the most loaded channels"}
			}
			return
		}
		var svg []byte
		if svg, err = drawn[kind].SVG(); err != nil {
			return
		}
		report.Aside.Pictures = append(report.Aside.Pictures, outcome.Picture{Caption: captions[kind], SVG: svg})
		var file *traces.File
		if file, err = out.Open("--svg "+string(kind), string(kind), *to); err == nil && file != nil {
			_, err = file.Write(svg)
		}
	})
	return err
}
