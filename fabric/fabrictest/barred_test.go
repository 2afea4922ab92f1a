package fabrictest

import (
	"testing"
	"testing/fstest"

	"starloom"
	"starloom/hw"
)

// barred is a kind of arbiter without grants for requester 1.
const barred hw.ArbiterKind = 101

func init() {
	hw.RegisterArbiter(barred, hw.ArbiterSpec{
		Name: "barred", Does: "any requester but 1", Uses: hw.ForOutputs | hw.ForQueues, RTL: fstest.MapFS{}, Mutants: make([]hw.Mistake, 3),
		New: func(hw.ArbiterShape) hw.Arbitration { return bars{} },
	})
}

type bars struct{ hw.Forgetful }

func (bars) Rank(_ int, asks []hw.Request, ranks []uint64) {
	for k, q := range asks {
		if ranks[k] = 0; q.Requester == 1 {
			ranks[k] = hw.NeverRank
		}
	}
}

// TestRequestsThatAreNeverGranted requires that queues skip such requests in both engines.
func TestRequestsThatAreNeverGranted(t *testing.T) {
	var cases []Case
	for _, output := range []string{"rendezvous", "queue"} {
		cases = append(cases, Case{
			Name: output, Breaks: starloom.RuleFinishes,
			Scenario: offering("crossbar: {ports: 5, arbiter: barred, output: "+output+"}", "crossbar/traffic", "rate: 0.2, drain: 20", ""),
		})
	}
	(&Suite{Cases: cases}).Run(t)
}
