package runs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/emulator"
	"starloom/internal/record"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/vcd"
)

// Limits of the scenes of a page.
const (
	scenesMax        = 6
	scenesPerRule    = 2
	sceneFramesMax   = 16
	sceneFramesLast  = 6 // number of frames before the slot, if its surroundings have none
	sceneTrailsMax   = 3
	sceneTrailMax    = 24 // frames of a packet
	sceneColumnsMax  = 36 // drawn cycles
	sceneFaultsMax   = 3
	sceneRowsMax     = 18      // drawn signals
	sceneStillMax    = 12      // constant signals
	sceneActorsMax   = 4       // processors beside a medium
	sceneCyclesMax   = 4096    // cycles searched around a violation
	sceneFramesOther = 1 << 17 // maximum number of frames of a run whose packets are followed
	// the repetition by cycles takes at most a few seconds
	sceneProcessorsMax = 1 << 16
	sceneWorkMax       = 1 << 27 // processors times cycles
)

// scenes repeats a failed run and records the surroundings of its first violations. It is the first pass, so that the
// report is complete when scenes finishes.
type scenes struct{ nothing }

// finish implements pass. The result depends on scenario and seed, not on the engine, because a separate machine runs
// the cycles.
func (p *scenes) finish(ctx context.Context, r *run) error {
	if r.options.Reports.HTML.Given() {
		known(ctx, r)
	}
	if !r.options.Reports.HTML.Given() || len(r.report.Violations) == 0 || ctx.Err() != nil || r.report.Aside.CutShort {
		return nil
	}
	f := &filming{run: r}
	f.choose()
	if err := f.frames(ctx); err != nil {
		return err
	}
	if err := f.waves(ctx); err != nil {
		return err
	}
	r.report.Aside.Scenes = f.scenes
	return nil
}

type place struct {
	medium string
	slot   uint64
}

type filming struct {
	*run
	scenes []outcome.Scene
	media  map[string]int // numbers of media by path; empty without faults
}

// choose selects the first violations, several of each rule, and the first effects of their faults.
func (f *filming) choose() {
	r, byFaults := f.report, false
	for _, x := range outcome.ShownOnce(r.Violations, r.Aside.Late.Of(r.Violations), scenesMax, scenesPerRule) {
		v := &r.Violations[x.Place]
		byFaults = byFaults || v.Cause == outcome.CauseFaults
		if (v.Rule == fabric.RuleFinishes || f.config.Bare()) && v.Path == f.machine.Network.Kind() {
			continue // it has no particular place
		}
		s := outcome.Scene{Violation: x.Place, Fault: -1, Cycle: v.Cycle, Slot: min(v.Slot, max(r.Slots, 1)-1), Path: v.Path}
		if from := r.Aside.Late.From(v); from >= 0 {
			s.Sender = f.machine.Names.Processor(from)
			s.Beside = append(s.Beside, s.Sender)
			if to := f.numberOf(v.Path); f.machine.Shape.Ports == 1 && to >= 0 {
				s.Beside = append(s.Beside, f.machine.Names.Medium(f.machine.Names.SentOn(from, 0, to)))
			}
		}
		if late := r.Aside.Late; x.Place == late.Of(r.Violations) && late.Worst.Known { // the arrival instead of the deadline
			s.Slot = late.Worst.Crossed
			s.Cycle = late.Worst.Cycle
		}
		f.scenes = append(f.scenes, s)
	}
	for k := range r.Faults {
		if first := r.Faults[k].First; byFaults && first != nil && k < sceneFaultsMax {
			f.scenes = append(f.scenes,
				outcome.Scene{Violation: -1, Fault: k, Cycle: first.Cycle, Slot: first.Slot, Path: first.Path,
					Decides: f.decides(k, first.Path)})
		}
	}
}

// decides returns the slot in which a fault suppresses a due handler call, nil for none, or if the slot is too far
// from the fault's first effect.
func (f *filming) decides(fault int, path string) *uint64 {
	for i := range f.report.Aside.Stood {
		s := &f.report.Aside.Stood[i]
		if s.Next == nil || s.Next.Paused != fault || f.machine.Names.Processor(s.Processor) != path {
			continue
		}
		if from := f.report.Faults[fault].First.Slot; (s.Next.Slot-min(from, s.Next.Slot)+2)*uint64(
			f.config.Timing.SlotCycles()) < sceneCyclesMax/2 {
			return &s.Next.Slot
		}
	}
	return nil
}

func (f *filming) numberOf(path string) int {
	for processor := range f.machine.Shape.Processors() {
		if f.machine.Names.Processor(processor) == path {
			return processor
		}
	}
	return -1
}

func (f *filming) last() (slot uint32) {
	for i := range f.scenes {
		s := &f.scenes[i]
		if slot = max(slot, uint32(s.Slot)); s.Decides != nil {
			slot = max(slot, uint32(*s.Decides))
		}
	}
	return slot
}

// cycle returns the cycle of a scene; for a violation at the end of the run, the last cycle.
func (f *filming) cycle(s *outcome.Scene) uint64 { return min(s.Cycle, max(f.report.Cycles, 1)-1) }

func (f *filming) frames(ctx context.Context) error {
	m, last := f.machine, f.last()
	near := func(slot uint32) bool {
		return slices.ContainsFunc(f.scenes, func(s outcome.Scene) bool {
			return uint64(slot)+2 >= s.Slot && uint64(slot) <= s.Slot+1
		})
	}
	kept := record.Frames{Most: sceneFramesOther, Wants: near}
	kept.KeepFrames(m)
	err := m.Repeat(ctx, f.report, nil, f.until(m, last))
	m.Detach(&kept)
	if err != nil && !errors.Is(err, errStop) {
		return err
	}
	answer := answers
	if !kept.Whole {
		answer = func([]outcome.SceneFrame) {}
	}
	f.media = map[string]int{}
	for medium := range f.machine.Shape.Media {
		if len(f.report.Faults) > 0 {
			f.media[f.machine.Names.Medium(medium)] = medium
		}
	}
	f.strikes(kept.Sorted(), kept.Whole)
	all := f.unheard(kept.Kept, func(slot uint32) bool { return kept.Whole || near(slot) })
	answer(all)
	for i := range f.scenes {
		s := &f.scenes[i]
		f.concerned(s, all, kept.Whole)
		switch carries := f.config.Known.Carries || f.config.Traffic != nil; {
		case carries && kept.Whole:
			f.trails(s, all)
		case carries && len(s.Frames) > 0:
			s.Untrailed = fmt.Sprintf("the run has more than %d frames up to here", sceneFramesOther)
		}
	}
	return nil
}

// answers sets, for each ack, the payload that its sender has last heard, in a data frame or in an ack. It requires
// all frames of the run.
func answers(all []outcome.SceneFrame) {
	last, sent := map[int][]byte{}, map[place][]byte{}
	for i := range all {
		x := &all[i]
		switch {
		case x.Kind == nic.KindData.String() && !x.Sent && x.Processor >= 0:
			last[x.Processor] = x.Payload
		case x.Kind == nic.KindAck.String() && x.Sent:
			x.Answers = last[x.Processor]
			sent[place{x.Medium, x.Slot}] = x.Answers
		case x.Kind == nic.KindAck.String():
			x.Answers = sent[place{x.Medium, x.Slot}]
			last[x.Processor] = x.Answers
		}
	}
}

// unheard adds a line for each frame in a known slot without a listener, and names the faults that have harmed
// frames.
func (f *filming) unheard(all []outcome.SceneFrame, known func(slot uint32) bool) []outcome.SceneFrame {
	heard := map[place]bool{}
	for i := range all {
		if x := &all[i]; !x.Sent {
			heard[place{x.Medium, x.Slot}] = true
			if by := f.harmed(x); by != "" {
				x.Status += " (" + by + ")"
			}
		}
	}
	for i := range all {
		x := &all[i]
		if at := (place{x.Medium, x.Slot}); x.Sent && x.Medium != "" && !heard[at] &&
			x.Slot < f.report.Slots && known(uint32(x.Slot)) {
			heard[at] = true
			silent := outcome.SceneFrame{Cycle: f.machine.Timing().LastPhitCycle(uint32(x.Slot)), Slot: x.Slot, Processor: -1,
				Status: "nothing, by no one", Medium: x.Medium, Link: x.Link}
			if by := f.harmed(x); by != "" {
				silent.Status = "nothing (" + by + ")"
			}
			all = append(all, silent)
		}
	}
	record.SortFrames(all)
	return all
}

func (f *filming) harmed(x *outcome.SceneFrame) string {
	medium, ok := f.media[x.Medium]
	if !ok || !x.Sent && x.Status == nic.StatusOK.String() {
		return ""
	}
	number, bit, harmed := f.machine.FaultOn(medium, uint32(x.Slot))
	switch {
	case !harmed:
		return ""
	case bit >= 0:
		return fmt.Sprintf("fault %s: bit %d, of the %s", f.report.FaultName(number), bit, fabric.FlippedField(bit))
	}
	return "fault " + f.report.FaultName(number)
}

func (f *filming) until(m *emulator.Machine, last uint32) func() error {
	each := f.progress(last+1, true)
	return func() error {
		if m.Slots() > last+1 {
			return errStop
		}
		return each()
	}
}

// concerned selects the frames of a scene: at its medium or processor, in its slot and just before. Without such
// frames it selects the last earlier ones, if all frames are known.
func (f *filming) concerned(s *outcome.Scene, all []outcome.SceneFrame, whole bool) {
	f.between(s, all, s.Slot-min(s.Slot, 2), s.Slot+1)
	if len(s.Frames) == 0 && whole {
		f.between(s, all, 0, s.Slot)
		f.latest(s)
	}
	// frames of the slot take precedence, then the nearest frames
	for len(s.Frames) > sceneFramesMax {
		s.FramesLeft++
		if s.Frames[0].Slot < s.Slot {
			s.Frames = s.Frames[1:]
			continue
		}
		s.Frames = s.Frames[:len(s.Frames)-1]
	}
}

// latest keeps the last frames of a scene. In a truncated slot, frames for its processor or medium take precedence.
func (f *filming) latest(s *outcome.Scene) {
	left := len(s.Frames) - sceneFramesLast
	if left <= 0 {
		return
	}
	s.FramesLeft = left
	first := s.Frames[left].Slot
	concerns := func(x *outcome.SceneFrame) bool {
		return !x.Sent || x.Path == s.Path || x.Medium == s.Path || f.hears(s.Path, x.Medium)
	}
	for _, other := range []bool{true, false} { // order of removal
		s.Frames = slices.DeleteFunc(s.Frames, func(x outcome.SceneFrame) bool {
			out := left > 0 && (x.Slot < first || x.Slot == first && concerns(&x) != other)
			if out {
				left--
			}
			return out
		})
	}
}

func (f *filming) hears(path, medium string) bool {
	processor := f.numberOf(path)
	if processor < 0 {
		return false
	}
	bank, cell := f.machine.Cell(processor)
	for port := range f.machine.Shape.Ports {
		if bank.Hears(cell, uint16(port), f.machine.Slots()) &&
			f.machine.Names.Medium(f.machine.Names.HeardOn(processor, uint16(port))) == medium {
			return true
		}
	}
	return false
}

func (f *filming) between(s *outcome.Scene, all []outcome.SceneFrame, from, to uint64) {
	names := f.machine.Names
	for i := range all {
		x := &all[i]
		if x.Slot < from || x.Slot > to {
			continue
		}
		about := x.Medium == s.Path || x.Link == s.Path || x.Path == s.Path
		if x.Processor >= 0 {
			who := names.Processor(x.Processor)
			about = about || who == s.Path || x.Sent && who == s.Sender
		}
		if !about && x.Sent && int64(x.Destination) < int64(f.machine.Shape.Processors()) {
			about = names.Processor(int(x.Destination)) == s.Path
		}
		if about {
			s.Frames = append(s.Frames, *x)
		}
	}
}

// trails follows the packets in frames of the scene's slot that other frames also carry.
func (f *filming) trails(s *outcome.Scene, all []outcome.SceneFrame) {
	var followed [][]byte
	for i := range s.Frames {
		x := &s.Frames[i]
		known := slices.ContainsFunc(followed, func(payload []byte) bool { return bytes.Equal(payload, x.Payload) })
		if x.Slot != s.Slot || x.Kind != nic.KindData.String() || len(x.Payload) < 8 || known {
			continue
		}
		followed = append(followed, x.Payload)
		if len(s.Trails) == sceneTrailsMax {
			s.TrailsLeft++
			continue
		}
		t, more := outcome.Trail{Payload: x.Payload}, false
		on := map[place]bool{} // media and slots with a frame of the packet
		for k := range all {
			y := &all[k]
			carries := y.Kind == x.Kind && bytes.Equal(y.Payload, x.Payload) || y.Answers != nil &&
				bytes.Equal(y.Answers, x.Payload)
			at := place{y.Medium, y.Slot}
			if y.Sent && carries {
				on[at] = true
			}
			if !carries && !(y.Kind == "" && !y.Sent && on[at]) { // an unreadable frame of the packet
				continue
			}
			more = more || carries && (y.Slot+2 < s.Slot || y.Slot > s.Slot+1)
			if len(t.Frames) == sceneTrailMax {
				t.FramesLeft++
				continue
			}
			t.Frames = append(t.Frames, all[k])
		}
		if more {
			s.Trails = append(s.Trails, t)
		}
	}
}

func (f *filming) waves(ctx context.Context) error {
	unshown := func(why string) {
		for i := range f.scenes {
			f.scenes[i].Unshown = why
		}
	}
	last, settings := f.last(), f.settings
	if cycles, long := f.long(last); long {
		unshown(fmt.Sprintf("%s up to cycle %d would take long in the cycle engine; --vcd shows it, or only this cycle "+
			"with traces.vcd.trigger: first_violation",
			traces.Plural(f.machine.Shape.Processors(), "processor", "processors"), cycles))
		return nil
	}
	settings.Engine, settings.RunTable, settings.Packets, settings.Replay = emulator.EngineCycle, false, false, 0
	m, err := emulator.New(ctx, f.config, settings)
	if err != nil {
		if ctx.Err() == nil {
			unshown("the run could not be repeated cycle by cycle: " + err.Error())
		}
		return nil
	}
	excerpts := make([]*record.Excerpt, len(f.scenes))
	for i := range f.scenes {
		excerpts[i] = f.window(&f.scenes[i])
	}
	kept := record.Keep(m, excerpts)
	err = m.Run(ctx, f.until(m, last))
	m.Detach(kept)
	if err != nil && !errors.Is(err, errStop) {
		return errors.Join(err, m.Release())
	}
	for i := range f.scenes {
		f.draw(&f.scenes[i], excerpts[i])
	}
	return m.Release()
}

// long reports whether a run by cycles up to the end of slot last takes too long, and returns its number of cycles.
func (r *run) long(last uint32) (cycles uint64, long bool) {
	cycles, n := uint64(r.config.Timing.SlotCycles())*(uint64(last)+1), r.machine.Shape.Processors()
	return cycles, n > sceneProcessorsMax || cycles*uint64(n) > sceneWorkMax
}

// window returns the excerpt of a scene: its slot with adjacent cycles, the signals of its place and of senders, and
// the slot number.
func (f *filming) window(s *outcome.Scene) *record.Excerpt {
	const around = 16
	at := f.cycle(s)
	slot := uint64(f.config.Timing.SlotCycles())
	from := at / slot * slot
	to := from + slot - 1 + around
	if s.Decides != nil {
		to = (*s.Decides+1)*slot - 1 + around
	}
	from -= min(from, around)
	if to-from >= sceneCyclesMax {
		from, to = at-min(at, sceneCyclesMax/2), at+sceneCyclesMax/2
	}
	to = min(to, max(f.report.Cycles, 1)-1)
	x := &record.Excerpt{From: from, To: to, Paths: append([]string{f.machine.SlotProbe().Path, s.Path}, s.Beside...)}
	for i := range s.Frames {
		near := &s.Frames[i]
		if s.Sender != "" || near.Slot != s.Slot || near.Processor < 0 { // -1: no listener
			continue
		}
		for _, path := range []string{near.Medium, f.machine.Names.Processor(near.Processor)} {
			if path != "" && len(x.Paths) < 2+sceneActorsMax && !slices.Contains(x.Paths, path) {
				x.Paths = append(x.Paths, path)
			}
		}
	}
	return x
}

func (f *filming) draw(s *outcome.Scene, x *record.Excerpt) {
	at := f.cycle(s)
	marked, found := slices.BinarySearch(x.Cycles, at)
	if !found || len(x.Signals) == 0 {
		s.Unshown = "the repeated run did not reach this cycle"
		return
	}
	x.JoinRails()
	if s.Violation < 0 {
		marked = struckAt(x, marked)
	}
	w := &outcome.SceneWaves{}
	for _, path := range x.Paths[1:] {
		w.Patterns = append(w.Patterns, path, path+".**")
	}
	var moving []int
	for i := range x.Signals {
		signal := &x.Signals[i]
		if i > 0 && len(slices.Compact(slices.Clone(signal.Values))) == 1 {
			if len(s.Still) < sceneStillMax && (signal.Path == x.Paths[1] || strings.HasPrefix(signal.Path, x.Paths[1]+".")) {
				s.Still = append(s.Still, signal.Path+" "+label(signal, signal.Values[0]))
			}
			continue
		}
		moving = append(moving, i)
	}
	if len(moving) > sceneRowsMax { // keep the changes nearest to the cycle
		w.SignalsLeft = len(moving) - sceneRowsMax
		slices.SortStableFunc(moving[1:], func(a, b int) int {
			return distance(x.Signals[a].Values, marked) - distance(x.Signals[b].Values, marked)
		})
		moving = moving[:sceneRowsMax]
	}
	slices.SortFunc(moving, func(a, b int) int { // by place, then by declaration
		return cmp.Or(cmp.Compare(x.Under(a), x.Under(b)), cmp.Compare(a, b))
	})
	if len(moving) == 1 { // only the number of the slot
		s.Unshown = fmt.Sprintf("no signal of %s changes from cycle %d to %d", s.Path, x.From, x.To)
		return
	}
	points := []int{marked}
	if s.Decides != nil {
		if at, found := slices.BinarySearch(x.Cycles, f.config.Timing.SlotCycle(uint32(*s.Decides))); found {
			points = append(points, at)
		}
	}
	columns := f.columns(x, moving, points)
	for _, c := range columns {
		switch c {
		case marked:
			w.Marked = len(w.Columns)
		case points[len(points)-1]:
			w.Decides = len(w.Columns)
		}
		w.Columns = append(w.Columns, x.Cycles[c])
	}
	for _, i := range moving {
		signal := &x.Signals[i]
		row := traces.WaveRow{Name: signal.Path, Bits: signal.Bits}
		if signal.States != nil {
			row.Bits = 0
		}
		for _, c := range columns {
			row.Values = append(row.Values, label(signal, signal.Values[c]))
		}
		w.Rows = append(w.Rows, row)
	}
	s.Waves = w
}

// struckAt returns the first cycle, from cycle from on, with different light before and after a fault; from itself
// for none.
func struckAt(x *record.Excerpt, from int) int {
	first := len(x.Cycles)
	for i := range x.Signals {
		before, tapped := strings.CutSuffix(x.Signals[i].Path, "_tapped.light")
		k := slices.IndexFunc(x.Signals, func(o record.ExcerptSignal) bool { return o.Path == before+".light" })
		if !tapped || k < 0 {
			continue
		}
		for c := from; c < first; c++ {
			if label(&x.Signals[i], x.Signals[i].Values[c]) != label(&x.Signals[k], x.Signals[k].Values[c]) {
				first = c
			}
		}
	}
	if first == len(x.Cycles) {
		return from
	}
	return first
}

// columns selects cycles with changes, marked cycles and their neighbours, nearest to the marks.
func (f *filming) columns(x *record.Excerpt, signals []int, marked []int) (columns []int) {
	for c := range x.Cycles {
		changes := slices.ContainsFunc(marked, func(at int) bool { return c+1 >= at && c <= at+1 })
		for _, i := range signals {
			changes = changes || c > 0 && x.Signals[i].Values[c] != x.Signals[i].Values[c-1]
		}
		if changes {
			columns = append(columns, c)
		}
	}
	most := sceneColumnsMax / len(marked)
	taken := map[int]bool{}
	for _, m := range marked {
		at := slices.Index(columns, m)
		first := max(0, min(at-most*2/3, len(columns)-most))
		for _, c := range columns[first:min(len(columns), first+most)] {
			taken[c] = true
		}
	}
	return slices.Sorted(maps.Keys(taken))
}

func distance(values []uint64, marked int) int {
	nearest := len(values)
	for c := 1; c < len(values); c++ {
		if values[c] != values[c-1] {
			nearest = min(nearest, max(c-marked, marked-c))
		}
	}
	return nearest
}

var numbering = []string{".rx_port", ".tx.port", ".tx.served"}

func label(s *record.ExcerptSignal, value uint64) string {
	switch {
	case value == uint64(nic.PortNone) &&
		slices.ContainsFunc(numbering, func(name string) bool { return strings.HasSuffix(s.Path, name) }):
		return "none"
	case strings.HasSuffix(s.Path, ".rx_port") && value == uint64(nic.PortAll):
		return "all"
	case s.States != nil:
		return s.States[min(value, uint64(len(s.States)-1))]
	case s.Form.Flags != nil:
		return flags(s.Form, value)
	case s.Bits == 1, s.Form.Decimal:
		return fmt.Sprint(value)
	case s.Form.Signed:
		return fmt.Sprint(int64(value<<(64-s.Bits)) >> (64 - s.Bits))
	}
	return fmt.Sprintf("%x", value)
}

func flags(form vcd.Form, value uint64) string {
	var names []string
	for bit, name := range form.Flags {
		if value>>bit&1 != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "0"
	}
	return strings.Join(names, "+")
}
