package booksim

import (
	"fmt"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// ruled are the routing functions that become rules of routes, by topology and function. %[1]d is half of the VCs,
// %[2]s the dimensions in reverse order, and %[3]d the VCs without one.
var ruled = map[string]struct {
	rules        string
	load, halves bool // it reads loads; it needs an even number of VCs
}{
	"mesh xy_yx":             {rules: xyRules("draw"), halves: true},
	"mesh adaptive_xy_yx":    {rules: xyRules("load, ties: draw"), load: true, halves: true},
	"cmesh xy_yx_no_express": {rules: xyRules("draw"), halves: true},
	"flatfly xyyx":           {rules: xyRules("draw"), halves: true},
	"flatfly adaptive_xyyx":  {rules: xyRules("load, ties: draw"), load: true, halves: true},
	"mesh romm":              {rules: overMid("box"), halves: true},
	"flatfly valiant":        {rules: overMid("node"), halves: true},
	"mesh min_adapt": {rules: `{classes: {escape: 1, free: %[3]d},
rules: [{if: class == escape, take: [{to: dor, class: escape}]},
{take: [{to: dor, class: free, priority: 1}, {to: dor, class: escape}]}]}`},
	"fattree anca": {rules: `{rules: [{take: [{to: shortest, pick: load_of_two}]}]}`, load: true},
	"flatfly ugal": {rules: `{classes: {first: %[1]d, second: %[1]d}, mid: box, rules: [{if: came == source,
choose: {by: load, times: hops, bias: 2}, take: [{to: dor, class: second}, {to: dor, class: first, toward: mid}]},
{if: class == first, take: [{to: dor, class: first, toward: mid}]}, {take: [{to: dor, class: second}]}]}`, load: true,
		halves: true},
}

func xyRules(by string) string {
	return `{classes: {xy: %[1]d, yx: %[1]d}, rules: [{if: came == source, choose: {by: ` + by + `},
take: [{to: dor(%[2]s), class: yx}, {to: dor, class: xy}]}, {if: class == xy, take: [{to: dor, class: xy}]},
{take: [{to: dor(%[2]s), class: yx}]}]}`
}

func overMid(mid string) string {
	return `{classes: {first: %[1]d, second: %[1]d}, mid: ` + mid + `, rules: [{if: came == source or class == first,
take: [{to: dor, class: first, toward: mid}]}, {take: [{to: dor, class: second}]}]}`
}

// rules sets the rules of a routing function, if it has any.
func (r *reader) rules() {
	function := r.text("topology") + " " + r.text("routing_function")
	of, ok := ruled[function]
	if !ok {
		return
	}
	vcs, n := r.integer("num_vcs"), r.integer("n")
	dimensions := strings.Fields("w z y x")
	switch {
	case vcs < 2:
		r.refuse("num_vcs", "the routing function needs two classes of VCs", "write num_vcs = 2 or more")
	case of.halves && vcs%2 == 1:
		r.refuse("num_vcs", "the middle VC of an odd number belongs to both classes, so BookSim's packets may deadlock",
			"write an even number")
	case of.load && r.integer("routing_delay") == 0:
		r.refuse("routing_delay", "the routing function compares loads, which are not known in time",
			"write routing_delay = 1")
	case strings.Contains(of.rules, "%[2]") && n > len(dimensions):
		r.refuse("n", "the reverse order of more than 4 dimensions", "write n = 4 or less")
	case function == "flatfly ugal" && r.arrivals != "":
		r.refuse("routing_function", "column via of BookSim's packets has places of processors, not their numbers",
			"import it without --arrivals")
	default:
		text := strings.NewReplacer("%[1]d", fmt.Sprint(vcs/2), "%[3]d", fmt.Sprint(vcs-1),
			"%[2]s", strings.Join(dimensions[len(dimensions)-n:], " ")).Replace(of.rules)
		var routes map[string]any
		if err := yaml.Unmarshal([]byte(text), &routes); err != nil {
			panic("booksim: " + err.Error()) // a rule of this file
		}
		r.netlist["routes"] = routes
	}
}
