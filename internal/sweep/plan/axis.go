package plan

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// An Axis is a varied parameter: a key with values, or named settings of several keys.
type Axis struct {
	Name   string
	Place  string
	Keys   []string
	Values []Value
}

// Value is a value of an axis.
type Value struct {
	Label    string
	Term     any // value in conditions: a float64, a bool or a string
	Settings []strict.Assignment
	Place    string
}

var axisName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

var taken = []string{"seed", "permutation", "verdict", "rule", "violations", "runs", "failed", "digest", "slots",
	"cycles", "steps", "lambda", "completion"}

func (r *reader) axis(name, value *yaml.Node) (*Axis, error) {
	a := &Axis{Name: name.Value, Place: r.Place(name)}
	where := strict.Join("axes", a.Name)
	switch {
	case !axisName.MatchString(a.Name):
		return nil, r.Refuse(name, fmt.Sprintf("%q is not the name of an axis", strict.Clip(a.Name)),
			"write letters, digits and underscores, not starting with a digit")
	case slices.Contains(taken, a.Name):
		return nil, r.Refuse(name, fmt.Sprintf("the tables already have a column %s", a.Name), "give the axis "+
			"another name")
	}
	var key string
	ways := 0
	way := func(read func(*yaml.Node, string) error) func(*yaml.Node, string) error {
		return func(node *yaml.Node, word string) error {
			if ways++; ways > 1 {
				return r.Refuse(node, where+" has more than one kind of values", "give one of values, range and settings")
			}
			return read(node, strict.Join(where, word))
		}
	}
	err := r.Keys(value, where, map[string]func(*yaml.Node, string) error{
		"key":      func(node *yaml.Node, word string) error { return r.Text(node, strict.Join(where, word), &key) },
		"values":   way(func(node *yaml.Node, at string) error { return r.values(node, at, a) }),
		"range":    way(func(node *yaml.Node, at string) error { return r.span(node, at, a) }),
		"settings": way(func(node *yaml.Node, at string) error { return r.settings(node, at, a) }),
	})
	switch {
	case err != nil:
		return nil, err
	case ways == 0:
		return nil, r.Refuse(value, where+" has no values", "add values: [...], range: [from, to, step] or settings: "+
			"{NAME: {KEY: VALUE}}")
	case len(a.Values) == 0:
		return nil, r.Refuse(value, where+" has no values, so the sweep has no points", "give at least one")
	case len(a.Keys) > 0 && key != "":
		return nil, r.Refuse(value, where+" has both key and settings", "delete key: settings contain their own keys")
	case len(a.Keys) == 0 && key == "":
		return nil, r.Refuse(value, where+" has no key", "add key: and a key of the scenario, for example "+
			"workload.traffic.rate")
	}
	if key != "" {
		a.Keys = []string{key}
		for i := range a.Values {
			a.Values[i].Settings[0].Key = key
		}
	}
	return a, r.twice(a)
}

func (r *reader) twice(a *Axis) error {
	seen := map[string]bool{}
	for i := range a.Values {
		v := &a.Values[i]
		if seen[v.Label] {
			return &input.Error{Place: v.Place,
				Reason: fmt.Sprintf("the axis %s has the value %s twice", a.Name, strict.Clip(v.Label)), Remedy: "delete one"}
		}
		seen[v.Label] = true
	}
	return nil
}

func (r *reader) values(node *yaml.Node, at string, a *Axis) error {
	return r.List(node, at, func(entry *yaml.Node, at string) error {
		text, err := r.oneLine(entry, at)
		if err != nil {
			return err
		}
		v := Value{Label: text, Term: text, Settings: []strict.Assignment{{Value: text,
			Place: r.Place(entry)}}, Place: r.Place(entry)}
		if entry.Kind == yaml.ScalarNode {
			v.Label, v.Term = entry.Value, term(entry)
		}
		a.Values = append(a.Values, v)
		return nil
	})
}

func term(node *yaml.Node) any {
	switch node.ShortTag() {
	case "!!int", "!!float":
		if x, err := strconv.ParseFloat(node.Value, 64); err == nil {
			return x
		}
	case "!!bool":
		return node.Value == "true"
	}
	return node.Value
}

// span parses a range: [from, to, step], {from, to, step} or {from, to, times}.
func (r *reader) span(node *yaml.Node, at string, a *Axis) error {
	const example = "[from, to, step], for example [0.05, 0.6, 0.05], or {from: 2, to: 512, times: 2}"
	var ends [3]*big.Rat
	number := func(k int) func(*yaml.Node, string) error {
		return func(entry *yaml.Node, word string) error {
			x, ok := decimal(entry.Value)
			if tag := entry.ShortTag(); entry.Kind != yaml.ScalarNode || tag != "!!int" &&
				tag != "!!float" || !ok || tooFine(x) {
				return r.Wrong(entry, at, example)
			}
			ends[k] = x
			return nil
		}
	}
	times := false
	switch node.Kind {
	case yaml.SequenceNode:
		if len(node.Content) != len(ends) {
			return r.Wrong(node, at, example)
		}
		for k, entry := range node.Content {
			if err := number(k)(strict.Target(entry), ""); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		err := r.Keys(node, at,
			map[string]func(*yaml.Node, string) error{"from": number(0), "to": number(1), "step": number(2),
				"times": func(entry *yaml.Node, word string) error {
					if times = true; ends[2] != nil {
						return r.Refuse(entry, at+" has both step and times", "delete one")
					}
					return number(2)(entry, word)
				}})
		if err != nil {
			return err
		}
	}
	if slices.Contains(ends[:], nil) {
		return r.Wrong(node, at, example)
	}
	numbers, reason, remedy := ladder(ends[0], ends[1], ends[2], times)
	if reason != "" {
		return r.Refuse(node, at+" "+reason, remedy)
	}
	for _, x := range numbers {
		text := decimalText(x)
		value, _ := x.Float64()
		a.Values = append(a.Values,
			Value{Label: text, Term: value, Settings: []strict.Assignment{{Value: text,
				Place: r.Place(node)}}, Place: r.Place(node)})
	}
	return nil
}

func tooFine(x *big.Rat) bool {
	digits, exact := x.FloatPrec()
	return !exact || digits > exponentMax || len(x.Num().String()) > decimalDigitsMax+exponentMax
}

func (r *reader) settings(node *yaml.Node, at string, a *Axis) error {
	if node.Kind != yaml.MappingNode {
		return r.Wrong(node, at, "an object: {NAME: {KEY: VALUE, ...}, ...}")
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, err := r.Key(node.Content[i], at, seen)
		if err != nil {
			return err
		}
		v := Value{Label: name, Term: name, Place: r.Place(node.Content[i])}
		entry, at := strict.Target(node.Content[i+1]), strict.Join(at, name)
		if entry.Kind != yaml.MappingNode || len(entry.Content) == 0 {
			return r.Wrong(entry, at, "what it sets: {KEY: VALUE, ...}")
		}
		keys := map[string]string{}
		for k := 0; k+1 < len(entry.Content); k += 2 {
			key, err := r.Key(entry.Content[k], at, keys)
			if err != nil {
				return err
			}
			text, err := r.oneLine(strict.Target(entry.Content[k+1]), strict.Join(at, key))
			if err != nil {
				return err
			}
			v.Settings = append(v.Settings, strict.Assignment{Key: key, Value: text, Place: r.Place(entry.Content[k])})
			if !slices.Contains(a.Keys, key) {
				a.Keys = append(a.Keys, key)
			}
		}
		a.Values = append(a.Values, v)
	}
	return nil
}

func decimal(text string) (*big.Rat, bool) {
	if strings.ContainsAny(text, "/_xXpPbBoO") || len(text) > decimalDigitsMax {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

const (
	decimalDigitsMax = 40
	exponentMax      = 40
)

const valuesMax = 100_000

func decimalText(x *big.Rat) string {
	digits, _ := x.FloatPrec() // exact, because sums and products of decimals have finitely many digits
	return x.FloatString(digits)
}

// ladder returns the numbers of a range. Each number is the previous number plus step, or times step. The last number
// must equal the end of the range; otherwise reason and remedy describe the error.
func ladder(from, to, step *big.Rat, times bool) (numbers []*big.Rat, reason, remedy string) {
	next := func(x *big.Rat) *big.Rat { return new(big.Rat).Add(x, step) }
	up := step.Sign()
	if times {
		next = func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, step) }
		up = step.Cmp(big.NewRat(1, 1))
		if step.Sign() <= 0 || up == 0 || from.Sign() <= 0 {
			return nil, fmt.Sprintf("multiplies %s by %s", decimalText(from), decimalText(step)),
				"start above 0, and multiply by a factor above or below 1"
		}
	}
	if up == 0 || to.Cmp(from)*up < 0 {
		return nil, fmt.Sprintf("does not lead from %s to %s", decimalText(from), decimalText(to)),
			"give a step towards the end, other than 0"
	}
	for x := from; ; x = next(x) {
		switch order := x.Cmp(to) * up; {
		case len(numbers) == valuesMax:
			return nil, fmt.Sprintf("has more than %d values", valuesMax), "take larger steps"
		case order == 0:
			return append(numbers, x), "", ""
		case order > 0:
			last := numbers[len(numbers)-1]
			return nil, fmt.Sprintf("goes from %s to %s and misses the end, %s", decimalText(last),
					decimalText(x), decimalText(to)),
				fmt.Sprintf("ends are included: end with %s or %s", decimalText(last), decimalText(x))
		}
		numbers = append(numbers, x)
	}
}

// fileKeys matches the keys of a scenario whose values are file paths.
var fileKeys = regexp.MustCompile(`^(firmware\.image|workload\.(file|gossip\.(orders|values)|traffic\.file)|` +
	`fabric\.netlist\.(file|anynet|graphml)|rtl\[\d+\]\.map)$`)

// besideSweep makes paths on axes relative to the sweep's file, because paths in a scenario are relative to the
// scenario's file. For one version, a path to a file that exists only relative to the scenario's folder keeps its
// meaning, with a note.
func (p *Plan) besideSweep(place string) error {
	own, of := filepath.Dir(place), filepath.Dir(p.Scenario.Place)
	if own == of {
		return nil
	}
	for _, a := range p.Axes {
		for i := range a.Values {
			for k := range a.Values[i].Settings {
				s := &a.Values[i].Settings[k]
				key := s.Key
				if key == "" { // an axis of one key
					key = a.Keys[0]
				}
				var path string
				if !fileKeys.MatchString(key) || yaml.Unmarshal([]byte(s.Value), &path) != nil || filepath.IsAbs(path) ||
					!strings.ContainsAny(path, "./") {
					continue
				}
				if !exists(filepath.Join(own, path)) && exists(filepath.Join(of, path)) {
					p.Notes = append(p.Notes, fmt.Sprintf("%s: %s is beside the scenario; the next version looks for it beside "+
						"the sweep", s.Place, path))
					continue
				}
				moved, err := filepath.Rel(of, filepath.Join(own, path))
				if err != nil {
					if moved, err = filepath.Abs(filepath.Join(own, path)); err != nil {
						return err
					}
				}
				s.Value = strconv.Quote(filepath.ToSlash(moved))
			}
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
