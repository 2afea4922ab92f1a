package fabric

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"starloom/hw"
)

// Results are the words that firmware has given as its results (sl_result), by processor and
// the word's number; a word that is given again replaces the one before, and a restart takes back all.
type Results struct {
	Lost uint64 // results that there was no room for

	key, value []uint64 // key: processor in the upper half, number of the word in the lower
	index      map[uint64]int
}

// ResultsMax is how many words are kept.
const ResultsMax = 1 << 20

// Result is one word: what firmware of a processor has given as its word k.
type Result struct {
	Processor int
	Word      uint32
	Value     uint64
}

func resultKey(processor int, word uint32) uint64 { return uint64(processor)<<32 | uint64(word) }

// Set takes a result, and reports whether that changes anything.
func (r *Results) Set(x Result) (changed bool) {
	key := resultKey(x.Processor, x.Word)
	switch i, again := r.index[key]; {
	case again:
		changed = r.value[i] != x.Value
		r.value[i] = x.Value
		return changed
	case len(r.key) >= ResultsMax:
		r.Lost++
		return false
	}
	if r.index == nil {
		r.index = map[uint64]int{}
	}
	r.index[key] = len(r.key)
	r.key, r.value = append(r.key, key), append(r.value, x.Value)
	return true
}

// Forget takes back what processors have given, in ascending order: they have been restarted.
func (r *Results) Forget(processors []int) {
	if len(processors) == 0 || len(r.key) == 0 {
		return
	}
	kept := 0
	clear(r.index)
	for i, key := range r.key {
		if _, forgotten := slices.BinarySearch(processors, int(key>>32)); !forgotten {
			r.key[kept], r.value[kept], r.index[key] = key, r.value[i], kept
			kept++
		}
	}
	r.key, r.value = r.key[:kept], r.value[:kept]
}

// Get returns a processor's word, and whether it was given.
func (r *Results) Get(processor int, word uint32) (value uint64, given bool) {
	i, given := r.index[resultKey(processor, word)]
	if !given {
		return 0, false
	}
	return r.value[i], true
}

// All returns all of them as rows of processor, word and value, in this order.
func (r *Results) All() [][3]uint64 {
	rows := make([][3]uint64, len(r.key))
	for i, key := range r.key {
		rows[i] = [3]uint64{key >> 32, key & (1<<32 - 1), r.value[i]}
	}
	slices.SortFunc(rows, func(a, b [3]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return rows
}

// Reset forgets all.
func (r *Results) Reset() { *r = Results{key: r.key[:0], value: r.value[:0]} }

// State visits all columns.
func (r *Results) State(v *hw.StateVisitor) {
	hw.StateScalar(v, "results.lost", &r.Lost)
	var keys, values int
	seen := map[uint64]bool{}
	hw.StateList(v, "results.key", &r.key, func(i int, key uint64) error {
		keys = i + 1
		if seen[key] {
			return fmt.Errorf("element %d is there twice", i)
		}
		seen[key] = true
		return nil
	})
	hw.StateList(v, "results.value", &r.value, func(i int, _ uint64) error { values = i + 1; return nil })
	v.Verify(func() error {
		if keys != values {
			return fmt.Errorf("results: %d keys and %d values", keys, values)
		}
		return nil
	})
	v.AfterRestore(func() {
		r.index = make(map[uint64]int, len(r.key))
		for i, key := range r.key {
			r.index[key] = i
		}
	})
}

// Keeper is a referee with rules of its own: Keeps names those that it checks.
type Keeper interface{ Keeps() []string }

// Judge is a Keeper that holds results to its rules as soon as they are given: Judge is called after the
// boundaries of all shards, with the results that have changed there, and yields what breaks a rule from
// then on.
type Judge interface {
	Keeper
	Judge(rules *Rules, given []Result, yield func(Finding))
}

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
