package fabric

import (
	"fmt"
	"maps"
	"slices"
)

// Judge finds the processors whose results are not what they must be; names are those of the words of results, and those
// that are skipped are not judged. A processor that has given none breaks the rule, and so does a rule that has nothing to judge: those
// that compare need two processors.
func (r *ResultRules) Judge(given *Results, names []string, processors int, skipped func(processor int) bool, find func(Finding)) {
	for _, name := range slices.Sorted(maps.Keys(r.Of)) {
		rule, word := r.Of[name], uint32(slices.Index(names, name))
		first := map[int64]int{} // the first processor with a value
		judged := -1             // the first one that has given any
		count, last := 0, 0      // those that are judged, and the last of them
		for processor := range processors {
			if skipped(processor) {
				continue
			}
			count, last = count+1, processor
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
		switch {
		case count == 0:
			find(Finding{Kind: FindResult, Value: word, Text: "was killed by a fault, as all others were: no result " + name + " was judged"})
		case count == 1 && rule.Alike != "":
			find(Finding{Kind: FindResult, Index: last, Value: word,
				Text: fmt.Sprintf("is the only one whose result %s was judged, and %s compares those of two processors", name, rule.Alike)})
		}
	}
}
