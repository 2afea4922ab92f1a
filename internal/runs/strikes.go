package runs

import (
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

// strikes sets the struck frames of the scenes. Frames are numbered if all frames of the run are known.
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
}

// strike selects the struck frame of a scene: of the violation's processor the first one, or the last one before a
// violation during the run; otherwise the first one of all. It returns nil for none.
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
		concerns := processor >= 0 && (x.Processor == processor || x.Kind != "" && int64(x.Destination) == int64(processor))
		if concerns && (own == nil || last) {
			own = x
		}
	}
	if own != nil {
		out := *own
		out.Own = true
		return &out
	}
	return first
}
