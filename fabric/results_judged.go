package fabric

import (
	"fmt"
	"maps"
	"slices"
)

// Judge finds the processors whose results are not what they must be; names are those of the words of results, and those
// that are skipped are not judged. A processor that has given none breaks the rule.
func (r *ResultRules) Judge(given *Results, names []string, processors int, skipped func(processor int) bool, find func(Finding)) {
	for _, name := range slices.Sorted(maps.Keys(r.Of)) {
		rule, word := r.Of[name], uint32(slices.Index(names, name))
		first := map[int64]int{} // the first processor with a value
		judged := -1             // the first one that has given any
		for processor := range processors {
			if skipped(processor) {
				continue
			}
			value, ok := given.Get(processor, word)
			text := rule.refuses(name, int64(value), judged, first)
			switch {
			case !ok && given.Lost > 0:
				text = fmt.Sprintf("has no result %s that was kept: %d is the most that is kept of all", name, ResultsMax)
			case !ok:
				text = "gave no result " + name
			default:
				if _, again := first[int64(value)]; !again && (rule.Alike == ResultDistinct || judged < 0) {
					first[int64(value)] = processor
				}
				if judged < 0 {
					judged = processor
				}
			}
			if text != "" {
				find(Finding{Kind: FindResult, Index: processor, Value: word, Text: text})
			}
		}
	}
}
