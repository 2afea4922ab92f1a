package runs

import (
	"context"
	"fmt"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces"
)

// deeper tries RX FIFOs that are twice as deep, and so on, until no rule is broken. It has no advice where that does not help. Frames that
// were lost need no other; frames that wait for one another may have it in the firmware, too.
func (r *run) deeper(ctx context.Context, command, rule string) []outcome.Remedy {
	had, only := r.config.NIC.RxFrames, ""
	if rule == fabric.RuleDeadlock {
		only = ", which is enough for this load; with more frames on their way the ring may close again"
	}
	for depth := 2 * had; depth <= fabric.FIFOMax; depth *= 2 {
		c := *r.config
		c.NIC.RxFrames = depth
		left := r.trySmall(ctx, &c, r.report.Slots)
		if left == nil {
			return nil
		}
		if left.Verdict == outcome.VerdictPass {
			return []outcome.Remedy{{
				When: "If the NIC may have a deeper RX FIFO", Rule: rule, Instead: rule == fabric.RuleNoLoss,
				Text: fmt.Sprintf("give it %s in the place of %d (depths were doubled until the run passed)%s:",
					traces.Plural(uint64(depth), "frame", "frames"), had, only),
				Command: set(command, "nic.rx_frames", fmt.Sprint(depth)), Expect: left.Expect(),
			}}
		}
	}
	return nil
}
