package fabric

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"starloom/hw"
	"starloom/traces/input/strict"
)

// ResultRules maps names of firmware results to their rules.
type ResultRules struct{ Of map[string]ResultRule }

// ResultRule is the rule for one result: Min and Max for each processor, and Alike for pairs of processors.
type ResultRule struct {
	Min, Max int64
	Alike    string // ResultEqual, ResultDistinct, or ""
}

const (
	ResultEqual    = "equal"    // equal on all processors
	ResultDistinct = "distinct" // different on all processors
)

func (r ResultRules) String() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(r.Of)) {
		list = append(list, name+" "+r.Of[name].String())
	}
	return strings.Join(list, ", ")
}

func (r ResultRule) String() string {
	switch {
	case r.Alike != "":
		return r.Alike
	case r.Min == r.Max:
		return fmt.Sprint(r.Min)
	case r.Max == math.MaxInt64:
		return fmt.Sprintf("%d or more", r.Min)
	case r.Min == math.MinInt64:
		return fmt.Sprintf("%d or less", r.Max)
	}
	return fmt.Sprintf("%d to %d", r.Min, r.Max)
}

// NoneOf requires that the named result is 0 on all processors.
func NoneOf(name string) *ResultRules { return &ResultRules{map[string]ResultRule{name: {}}} }

// Setting returns the value for a list of settings.
func (r ResultRules) Setting() any { return r.Of }

func (r ResultRules) MarshalJSON() ([]byte, error) { return json.Marshal(r.Of) }

func (r ResultRule) MarshalJSON() ([]byte, error) {
	switch {
	case r.Alike != "":
		return json.Marshal(r.Alike)
	case r.Min == r.Max:
		return json.Marshal(r.Min)
	}
	limits := map[string]int64{}
	if r.Min != math.MinInt64 {
		limits["min"] = r.Min
	}
	if r.Max != math.MaxInt64 {
		limits["max"] = r.Max
	}
	return json.Marshal(limits)
}

const resultForm = "the name of a result and its required value: {sum: 120}, {leader: equal}, {id: distinct}, " +
	"{rounds: " +
	"{max: 5}}"

func (r *ResultRules) ReadYAML(d *strict.Decoder, node *yaml.Node, path string) error {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return d.Wrong(node, path, resultForm)
	}
	r.Of = map[string]ResultRule{}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, err := d.Key(node.Content[i], path, seen)
		if err != nil {
			return err
		}
		at := strict.Join(path, name)
		d.Places[at] = d.Place(node.Content[i])
		rule := ResultRule{Min: math.MinInt64, Max: math.MaxInt64}
		if err := rule.read(d, strict.Target(node.Content[i+1]), at); err != nil {
			return err
		}
		r.Of[name] = rule
	}
	return nil
}

func (r *ResultRule) read(d *strict.Decoder, node *yaml.Node, path string) error {
	every := strict.Span{Min: math.MinInt64, Max: math.MaxInt64}
	switch {
	case node.Kind == yaml.ScalarNode && slices.Contains([]string{ResultEqual, ResultDistinct}, node.Value):
		r.Alike = node.Value
		return nil
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!int":
		n, err := d.Integer(node, path, every)
		r.Min, r.Max = n.Int64(), n.Int64()
		return err
	case node.Kind != yaml.MappingNode || len(node.Content) == 0:
		return d.Wrong(node, path, "a number, equal, distinct or {min: ..., max: ...}")
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, err := d.Key(node.Content[i], path, seen)
		if err != nil {
			return err
		}
		limit, known := map[string]*int64{"min": &r.Min, "max": &r.Max}[key]
		if !known {
			return d.Refuse(node.Content[i], fmt.Sprintf("unknown key %q in %s", strict.Clip(key),
				path), "allowed: min and max")
		}
		n, err := d.Integer(strict.Target(node.Content[i+1]), strict.Join(path, key), every)
		if err != nil {
			return err
		}
		*limit = n.Int64()
	}
	if r.Min > r.Max {
		return d.Refuse(node, fmt.Sprintf("%s has min %d above max %d", path, r.Min, r.Max), "exchange them")
	}
	return nil
}

// refuses describes the violation of the rule by a value, "" for none. judged is the first processor with a value, -1
// for none. first maps each value to its first processor.
func (r *ResultRule) refuses(name string, value int64, judged int, first map[int64]int) string {
	same, again := first[value]
	switch {
	case value < r.Min || value > r.Max:
		return fmt.Sprintf("gave %s = %d, but %s must be %s", name, value, name, r)
	case r.Alike == ResultEqual && judged >= 0 && !again:
		for other := range first {
			return fmt.Sprintf("gave %s = %d, but processor %d gave %d: all must be equal", name, value, judged, other)
		}
	case r.Alike == ResultDistinct && again:
		return fmt.Sprintf("gave %s = %d, the same as processor %d: all must be distinct", name, value, same)
	}
	return ""
}

// Results holds the result words of firmware (sl_result) by processor and word number. A new value replaces the old
// value. A restart discards the words of the processor.
type Results struct {
	Lost uint64 // number of results lost because ResultsMax words were already stored

	key, value []uint64 // key: processor in the upper half, word number in the lower
	index      map[uint64]int
}

// ResultsMax is the maximum number of stored words.
const ResultsMax = 1 << 20

// Result is one result word of a processor.
type Result struct {
	Processor int
	Word      uint32
	Value     uint64
}

func resultKey(processor int, word uint32) uint64 { return uint64(processor)<<32 | uint64(word) }

// Set stores a result and reports whether the stored value has changed.
func (r *Results) Set(result Result) (changed bool) {
	key := resultKey(result.Processor, result.Word)
	switch i, again := r.index[key]; {
	case again:
		changed = r.value[i] != result.Value
		r.value[i] = result.Value
		return changed
	case len(r.key) >= ResultsMax:
		r.Lost++
		return false
	}
	if r.index == nil {
		r.index = map[uint64]int{}
	}
	r.index[key] = len(r.key)
	r.key, r.value = append(r.key, key), append(r.value, result.Value)
	return true
}

// Forget discards the results of restarted processors, given in ascending order.
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

// Get returns a processor's word. given reports whether firmware has reported the word.
func (r *Results) Get(processor int, word uint32) (value uint64, given bool) {
	i, given := r.index[resultKey(processor, word)]
	if !given {
		return 0, false
	}
	return r.value[i], true
}

// All returns all words as rows of processor, word and value, in ascending order.
func (r *Results) All() [][3]uint64 {
	rows := make([][3]uint64, len(r.key))
	for i, key := range r.key {
		rows[i] = [3]uint64{key >> 32, key & (1<<32 - 1), r.value[i]}
	}
	slices.SortFunc(rows, func(a, b [3]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return rows
}

// Reset discards all results.
func (r *Results) Reset() { *r = Results{key: r.key[:0], value: r.value[:0]} }

// State visits all columns.
func (r *Results) State(v *hw.StateVisitor) {
	hw.StateScalar(v, hw.Future, "results.lost", &r.Lost)
	var keys, values int
	seen := map[uint64]bool{}
	hw.StateList(v, hw.Future, "results.key", &r.key, func(i int, key uint64) error {
		keys = i + 1
		if seen[key] {
			return fmt.Errorf("element %d is a duplicate", i)
		}
		seen[key] = true
		return nil
	})
	hw.StateList(v, hw.Future, "results.value", &r.value, func(i int, _ uint64) error { values = i + 1; return nil })
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

// Keeper is a referee with additional rules. Keeps returns their names.
type Keeper interface{ Keeps() []string }

// Judge is a Keeper that checks results as soon as firmware reports them. After the boundaries of all shards, the
// method Judge receives the changed results and yields new violations.
type Judge interface {
	Keeper
	Judge(rules *Rules, given []Result, yield func(Finding))
}

// Judge finds the processors whose results violate a rule. names are the names of result words; Judge ignores skipped
// processors. A missing result violates its rule. A rule without any result is violated, too; comparisons need two
// processors.
func (r *ResultRules) Judge(given *Results, names []string, processors int,
	skipped func(processor int) bool, find func(Finding)) {
	for _, name := range slices.Sorted(maps.Keys(r.Of)) {
		rule, word := r.Of[name], uint32(slices.Index(names, name))
		first := map[int64]int{}
		judged := -1
		count, last := 0, 0 // number of judged processors, and the last judged processor
		for processor := range processors {
			if skipped(processor) {
				continue
			}
			count, last = count+1, processor
			value, ok := given.Get(processor, word)
			text := rule.refuses(name, int64(value), judged, first)
			switch {
			case !ok && given.Lost > 0:
				text = fmt.Sprintf("has no recorded result %s: a run records at most %d results", name, ResultsMax)
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
			find(Finding{Kind: FindResult, Value: word,
				Text: "was killed by a fault, as all others were: no result " + name + " was judged"})
		case count == 1 && rule.Alike != "":
			find(Finding{Kind: FindResult, Index: last, Value: word,
				Text: fmt.Sprintf("is the only processor with a judged result %s, but %s compares the results of at least "+
					"two", name,
					rule.Alike)})
		}
	}
}
