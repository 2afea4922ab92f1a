package runs

import (
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

// strikes sets the struck frames of the scenes. It numbers frames if all frames of the run are known.
func (f *filming) strikes(all []outcome.SceneFrame, whole bool) {
	type start struct {
		path  string
		cycle uint64
	}
	var struck []outcome.StruckFrame
	number, counted := map[int]int{}, map[start]bool{}
	for i := range all {
		x := &all[i]
		if !x.Sent {
			continue
		}
		if at := (start{x.Path, x.Cycle}); whole && !counted[at] { // a frame on several media counts once
			counted[at] = true
			number[x.Processor]++
		}
		medium, ok := f.media[x.Medium]
		if !ok {
			continue
		}
		if fault, bit, harmed := f.machine.FaultOn(medium, uint32(x.Slot)); harmed {
			struck = append(struck, outcome.StruckFrame{SceneFrame: *x, Number: number[x.Processor], Fault: fault, Bit: bit})
		}
	}
	for i := range f.scenes {
		f.scenes[i].Struck = f.strike(&f.scenes[i], struck)
	}
	f.follow()
}

// follow moves the scene of the first violation's fault to the frame of the violation's processor.
func (f *filming) follow() {
	i := slices.IndexFunc(f.scenes, func(s outcome.Scene) bool { return s.Violation >= 0 })
	if i < 0 || f.scenes[i].Struck == nil || !f.scenes[i].Struck.Own {
		return
	}
	own := f.scenes[i].Struck
	for k := range f.scenes {
		s := &f.scenes[k]
		if s.Violation >= 0 || s.Fault != own.Fault || s.Decides != nil || s.Struck == nil {
			continue
		}
		if inside, on := strings.CutPrefix(s.Path, s.Struck.Medium); on {
			s.Path, s.Slot = own.Medium+inside, own.Slot
			s.Cycle, s.Struck = f.machine.Timing().SlotCycle(uint32(own.Slot)), own
		}
	}
}

// strike selects the struck frame of a scene: the first frame of the violation's processor, or its last frame before
// a violation during the run; otherwise the first of all frames. It returns nil for none.
func (f *filming) strike(s *outcome.Scene, struck []outcome.StruckFrame) *outcome.StruckFrame {
	faults, until, processor, last := []int{s.Fault}, ^uint64(0), -1, false
	if s.Violation >= 0 {
		v := &f.report.Violations[s.Violation]
		if v.Cause != outcome.CauseFaults {
			return nil
		}
		faults, until, processor = v.Faults, v.Slot, f.numberOf(v.Path)
		last = v.Rule != fabric.RuleFinishes
	}
	var first, own *outcome.StruckFrame
	for i := range struck {
		x := &struck[i]
		if x.Slot > until || len(faults) > 0 && !slices.Contains(faults, x.Fault) {
			continue
		}
		if first == nil {
			first = x
		}
		addressed := x.Kind != "" && int64(x.Destination) == int64(processor)
		concerns := processor >= 0 && (x.Processor == processor || addressed) ||
			(s.Violation < 0 || x.Slot == until) && (x.Medium == s.Path || x.Link == s.Path)
		if concerns && (own == nil || last) {
			own = x
		}
	}
	if own != nil {
		out := *own
		out.Own = s.Violation >= 0
		return &out
	}
	return first
}
