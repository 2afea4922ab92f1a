package emulator

import (
	"context"
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces"
)

// latenessWorkMax is up to how many pairs of processors and slots a repeated run is searched for what comes late.
const latenessWorkMax = 1 << 28

// Lateness repeats a run in which packets of the workload have missed their deadline, and says of each that the report
// lists when it came, and of all of them how late they were. Nothing happens without any, where that would take long, or
// when the repeated run is another one.
func (m *Machine) Lateness(ctx context.Context, report *outcome.Report, each func() error) error {
	limit, n := m.Rules.DeadlineSlots, uint64(m.Shape.Processors())
	if !m.Config.Known.Carries || m.offering != nil || report.Interrupted() ||
		report.Slots < uint64(limit) || n*n*(report.Slots-uint64(limit)) > latenessWorkMax ||
		!slices.ContainsFunc(report.Violations, func(v outcome.Violation) bool { return v.Rule == fabric.RuleDeadline }) {
		return nil
	}
	type pair struct {
		to   int
		from uint32
	}
	var late []fabric.Finding
	came := map[pair]uint32{} // after how many slots
	missing := map[pair]bool{}
	err := m.Repeat(ctx, report, nil, func() error {
		if m.slot >= limit && (m.slot == limit || len(missing) > 0) {
			still := map[pair]bool{}
			m.Referee.Missing(func(f fabric.Finding) bool {
				still[pair{f.Index, f.Value}] = true
				if m.slot == limit {
					late = append(late, f)
				}
				return true
			})
			for p := range missing {
				if !still[p] {
					came[p] = m.slot
				}
			}
			missing = still
		}
		return each()
	})
	if err != nil || m.Interrupted || m.Digest.String() != report.Digest {
		return err
	}
	l := &outcome.Lateness{Packets: true, What: [2]string{"packet", "packets"}, Deadline: uint64(limit), Late: len(late), Never: "had not come when the run ended",
		Since: "from the start of the run, not from the slot in which a frame is queued as in the picture of latencies"}
	if m.finished {
		l.Never = "never came"
	}
	for _, f := range late {
		slots, ok := came[pair{f.Index, f.Value}]
		if !ok {
			l.Lost++
		}
		if uint64(slots) > l.Most {
			l.Most, l.Worst = uint64(slots), &outcome.LatestPath{From: int(f.Value), To: f.Index}
		}
	}
	for i := range report.Violations {
		if v := &report.Violations[i]; v.Rule == fabric.RuleDeadline {
			slots, ok := came[pair{v.Subject.Index, v.Subject.Value}]
			v.Message += cameText(ok, l.Never, slots, limit)
		}
	}
	report.Aside.Late = l
	return nil
}

func cameText(came bool, never string, slots, limit uint32) string {
	if !came {
		return ": it " + never
	}
	return fmt.Sprintf(": it came after %d, %s late", slots, traces.Plural(slots-limit, "slot", "slots"))
}
