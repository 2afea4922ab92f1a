package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/config"
)

// limitMax is the maximum number of faults of a kind.
const limitMax = 100

// Until explores with increasing bounds until a rule breaks or a limit is reached. It begins with one fault of the
// first kind within the bounds, and each time adds a fault of the next kind, in the order of Limits. A kind is no
// longer raised when more of its faults lead to no new state. The returned report is the last.
func Until(ctx context.Context, c *config.Config, b Bounds, o Options) (*outcome.Explored, error) {
	asked := b.limitsOf()
	now, all := Limits{}, map[fabric.FaultKind]bool{}
	var last *outcome.Explored
	var rows []outcome.ExploredBound
	for raised := true; raised; {
		raised = false
		for i, a := range asked.list() {
			limit := now.list()[i].limit
			if *a.limit == 0 || all[a.kind] || *limit == limitMax {
				continue
			}
			*limit++
			raised, b.Faults = true, &now
			o.name = now.fileName()
			r, s, err := exploreOnce(ctx, c, b, o)
			if err != nil {
				return nil, err
			}
			all[a.kind] = r.Verdict == outcome.Holds && s.unused(a.kind)
			rows = append(rows, bound(r, &now, all))
			if last = r; r.Verdict != outcome.Holds {
				r.Raised = rows
				return r, nil
			}
		}
	}
	if last == nil { // no kind is requested, or all permutations run without faults
		return Of(ctx, c, b, o)
	}
	last.Raised = rows
	return last, nil
}

func bound(r *outcome.Explored, now *Limits, all map[fabric.FaultKind]bool) outcome.ExploredBound {
	row := outcome.ExploredBound{Verdict: r.Verdict, States: r.Counts.States, Transitions: r.Counts.Transitions,
		Slots: r.Slots}
	for _, x := range now.list() {
		if *x.limit > 0 {
			row.Bounds = append(row.Bounds,
				outcome.ExploredLimit{Kind: fabric.FaultNames[x.kind], Limit: *x.limit, All: all[x.kind]})
		}
	}
	return row
}

// fileName returns the name of a search with the limits, such as drop-2-restart-1.
func (l *Limits) fileName() string {
	var words []string
	for _, x := range l.list() {
		if *x.limit > 0 {
			words = append(words, fmt.Sprintf("%s-%d", fabric.FaultNames[x.kind], *x.limit))
		}
	}
	return strings.Join(words, "-")
}

// saved returns the bounds of a search as JSON, without slots, states and memory, which a continued search may raise.
func (b Bounds) saved(seed uint64) string {
	b.Slots, b.States, b.Memory = 0, 0, ""
	text, err := json.Marshal(b)
	if err != nil {
		panic(fmt.Sprintf("explore: bounds: %v", err)) // plain data
	}
	return fmt.Sprintf("%s seed %d", text, seed)
}

// unused reports whether no state needs as many faults of a kind as its limit allows. Then no run with more of them
// leads to a further state: the path to a state with n faults of the kind has a state with n-1.
func (s *search) unused(kind fabric.FaultKind) bool {
	for k := range s.kinds {
		if s.kinds[k].fault.Kind != kind {
			continue
		}
		for i := range s.nodes.all {
			if s.nodes.all[i].used.of(k) == s.kinds[k].limit {
				return false
			}
		}
	}
	return true
}
