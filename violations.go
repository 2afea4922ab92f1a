package starloom

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/fabric"
)

// The rules that hold for every run, beside those of Rules.
const (
	RuleCollisionFree = "collision_free"
	RuleHeld          = "packets_per_processor_max"
	RuleExactlyOnce   = "exactly_once"
	RuleTrap          = "firmware_trap"
	RuleFail          = "firmware_fail"
	RuleIllegalSend   = "illegal_send"
	RuleIllegalListen = "illegal_listen"
	RuleFinishes      = "finishes"
)

// ruleOf names the rule that a finding breaks.
var ruleOf = map[fabric.FindingKind]string{
	fabric.FindCollision:   RuleCollisionFree,
	fabric.FindLate:        RuleLateLight,
	fabric.FindIllegalHear: RuleIllegalListen,
	fabric.FindIllegalSend: RuleIllegalSend,
	fabric.FindMisrouted:   RuleExactlyOnce,
	fabric.FindDuplicate:   RuleExactlyOnce,
	fabric.FindUnbacked:    RuleExactlyOnce,
	fabric.FindHeld:        RuleHeld,
	fabric.FindTrap:        RuleTrap,
	fabric.FindFail:        RuleFail,
	fabric.FindUnfinished:  RuleFinishes,
	fabric.FindMissing:     RuleExactlyOnce,
}

// checkedRules lists the rules that a run is checked against.
func (r Rules) checkedRules() []string {
	names := []string{RuleTrap, RuleFail, RuleIllegalSend, RuleIllegalListen, RuleFinishes}
	if r.CollisionFree != nil {
		names = append(names, RuleCollisionFree)
	}
	if r.PacketsPerProcessorMax > 0 {
		names = append(names, RuleHeld)
	}
	if r.ExactlyOnce {
		names = append(names, RuleExactlyOnce)
	}
	return names
}

// violationList keeps the first ViolationsMax violations and the first of every
// rule, in the order of time.
type violationList struct {
	pending []fabric.Finding // of this boundary, all shards
	kept    []Violation
}

// wants reports whether a violation of a rule would be kept: there is room, or the
// rule is new.
func (v *violationList) wants(rule string) bool {
	return len(v.kept) < ViolationsMax || !slices.ContainsFunc(v.kept, func(k Violation) bool { return k.Rule == rule })
}

// add keeps a violation that is wanted.
func (v *violationList) add(x Violation) {
	if v.wants(x.Rule) {
		v.kept = append(v.kept, x)
	}
}

// clone returns a list that can be added to without changing this one.
func (v *violationList) clone() violationList { return violationList{kept: slices.Clone(v.kept)} }

// noteFindings turns the boundary's findings into violations. Sorting them makes
// the list independent of how the machine was cut into shards.
func (m *Machine) noteFindings() {
	v := &m.findings
	if len(v.pending) == 0 {
		return
	}
	slices.SortStableFunc(v.pending, func(a, b fabric.Finding) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Kind, b.Kind), a.Compare(&b))
	})
	for _, f := range v.pending {
		v.add(m.violation(f))
	}
	v.pending = v.pending[:0]
}

// violation describes a finding.
func (m *Machine) violation(f fabric.Finding) Violation {
	v := Violation{Rule: ruleOf[f.Kind], Slot: uint64(f.Slot), Cycle: m.timing.SlotCycle(f.Slot), Message: f.Text}
	if f.Kind == fabric.FindCollision {
		v.Path = m.pops.CouplerPath(f.Index)
		v.Cycle += uint64(f.Value) // in which its wire `violation` is 1 for the first time
		period := len(m.armed)
		v.Message = fmt.Sprintf("frames met on a coupler in slot %d of a step of %d, which must be free of collisions", int(f.Slot)%period+1, period)
		return v
	}
	if f.Kind == fabric.FindLate {
		v.Path = m.pops.LinkPath(f.Index)
		v.Cycle = m.timing.BoundaryCycle(f.Slot)
		v.Message = fmt.Sprintf("light came in the last guard cycle of slot %d, which counts for no slot: RTL before it is late, or shines all the time; RTL that is k cycles later than its model may need guard_cycles of k+1",
			f.Slot)
		return v
	}
	v.Path = m.pops.ProcessorPath(f.Index)
	switch f.Kind {
	case fabric.FindMisrouted, fabric.FindDuplicate:
		if f.Text != "" { // announced in the slot that begins
			v.Message = fmt.Sprintf("processor %d %s", f.Index, f.Text)
			return v
		}
		v.Cycle = m.timing.LastPhitCycle(f.Slot)
		v.Message = fmt.Sprintf("processor %d received a packet of origin %d that is not for it", f.Index, f.Value)
		if f.Kind == fabric.FindDuplicate {
			v.Message = fmt.Sprintf("processor %d received the packet of processor %d again", f.Index, f.Value)
		}
	case fabric.FindUnbacked:
		v.Message = fmt.Sprintf("processor %d announced the packet of processor %d, which no frame had brought to it", f.Index, f.Value)
	case fabric.FindHeld:
		if f.Text != "" {
			v.Message = fmt.Sprintf("processor %d: %s", f.Index, f.Text)
			break
		}
		v.Message = fmt.Sprintf("processor %d holds %d packets, at most %d are allowed", f.Index, f.Value, m.rules.PacketsPerProcessorMax)
	case fabric.FindMissing:
		v.Message = fmt.Sprintf("processor %d never received the packet of processor %d", f.Index, f.Value)
	case fabric.FindUnfinished:
		v.Message = fmt.Sprintf("processor %d %s", f.Index, f.Text)
	default:
		v.Message = fmt.Sprintf("processor %d: %s", f.Index, f.Text)
	}
	return v
}
