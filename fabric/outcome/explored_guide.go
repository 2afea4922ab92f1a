package outcome

import (
	"fmt"

	"starloom/traces"
)

// ExploredGuide is the extent of a guided search. Such a search never shows that all runs keep the rules.
type ExploredGuide struct {
	Slots  uint64 `json:"slots"`  // slots that were run
	Trials uint64 `json:"trials"` // runs from a state of the corpus
	Corpus int    `json:"corpus"` // number of states with something left to try
	// states that were dropped because of the limit of memory
	Dropped uint64 `json:"dropped,omitempty"`
	// number of faults of the run that broke the rule, before it was shortened in so many runs
	Shortened     int `json:"shortened_from,omitempty"`
	ShortenedRuns int `json:"shortened_runs,omitempty"`
	// states of a processor's firmware, paths through its handlers, values of its bytes, and figures of rules
	Features int `json:"features"`
}

// sentence returns the verdict of a guided search that found no failure.
func (g *ExploredGuide) sentence(incomplete string) string {
	return fmt.Sprintf("%s; no rule is broken in the runs that were tried", incomplete)
}

// Text returns the extent in words.
func (g *ExploredGuide) Text() string {
	text := fmt.Sprintf("%s in %s; %s shown; %s left to try", traces.Plural(g.Slots, "slot", "slots"),
		traces.Plural(g.Trials, "trial", "trials"), traces.Plural(g.Features, "feature", "features"),
		traces.Plural(g.Corpus, "state", "states"))
	if g.Dropped > 0 {
		text += fmt.Sprintf(", %d dropped for memory", g.Dropped)
	}
	return text
}

// shortest describes the shortening of a schedule, which need not be the shortest.
func (g *ExploredGuide) shortest(faults int) string {
	if g.ShortenedRuns == 0 {
		return "as found"
	}
	return fmt.Sprintf("from %s to %d, in %s", traces.Plural(g.Shortened, "fault", "faults"), faults,
		traces.Plural(g.ShortenedRuns, "run", "runs"))
}
