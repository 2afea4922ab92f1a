package booksim

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric/netlist"
	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Source is a configuration with the arguments that follow it on BookSim's command line.
type Source struct {
	Name     string // of the file, for messages
	Data     []byte
	Words    []string                        // KEY=VALUE
	Arrivals string                          // file of packets, relative to the scenario; "" for drawn packets
	Locate   func(path string) (here string) // path of a file of the configuration, relative to the scenario
	Read     func(path string) ([]byte, error)
}

// network is a network of BookSim as keys of a netlist.
type network struct {
	nodes int
	sides []int // of the grid on which tornado and neighbor go
}

// reader translates a configuration.
type reader struct {
	*config
	source   *Source
	arrivals string
	wrong    input.Errors
	network  network
	netlist  map[string]any
	router   map[string]any
	traffic  map[string]any
	top      map[string]any
}

// key is a key of BookSim 2: the kinds of values that it takes, its default, and its part in a scenario.
type key struct {
	kinds string // of s, i, f
	usual string
	rule  rule
}

// rule refuses a value of a key, or returns a verdict on it.
type rule func(r *reader, name string) (verdict, text string)

// Verdicts.
const (
	verdictSame  = "same"      // the scenario has the same
	verdictNone  = "no effect" // BookSim's run does not depend on it, or only its output
	verdictOther = "differs"   // the scenario differs as the text states
)

func same(text string) rule {
	return func(*reader, string) (string, string) { return verdictSame, text }
}

func none(text string) rule {
	return func(*reader, string) (string, string) { return verdictNone, text }
}

func other(text string) rule {
	return func(*reader, string) (string, string) { return verdictOther, text }
}

// only refuses all values but the default.
func only(text, reason, remedy string) rule {
	return func(r *reader, name string) (string, string) {
		if r.text(name) != r.declared[name].usual {
			r.refuse(name, reason, remedy)
		}
		return verdictSame, text
	}
}

// unless is the rule if the condition holds, otherwise without effect.
func unless(holds func(r *reader) bool, then rule, why string) rule {
	return func(r *reader, name string) (string, string) {
		if holds(r) {
			return then(r, name)
		}
		return verdictNone, why
	}
}

func is(name string, wanted ...string) func(*reader) bool {
	return func(r *reader) bool { return slices.Contains(wanted, r.text(name)) }
}

func isNot(name string, usual ...string) func(*reader) bool {
	return func(r *reader) bool { return !slices.Contains(usual, r.text(name)) }
}

func (r *reader) refuse(name, reason, remedy string) {
	r.wrong.Add(input.Mistake(r.place(name), fmt.Sprintf("%s = %s: %s", name, input.Clip(r.text(name)), reason), remedy))
}

// routerField returns a key of the scenario's routers, nil if routers have no such key.
func routerField(name string) (*strict.Field, reflect.Type) {
	of := reflect.TypeFor[netlist.Router]()
	fields := strict.Fields(of)
	i := slices.IndexFunc(fields, func(f strict.Field) bool { return f.Key == name })
	if i < 0 {
		return nil, nil
	}
	t := of.FieldByIndex(fields[i].Index).Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return &fields[i], t
}

// give sets a key of routers. It reports whether the value is in the range of the key.
func (r *reader) give(name, to string) bool {
	field, kind := routerField(to)
	text := r.text(name)
	switch {
	case field == nil:
		r.refuse(name, "Starloom's routers lack this option", "write "+name+" = "+r.declared[name].usual)
		return false
	case kind.Kind() == reflect.Bool:
		r.router[to] = r.integer(name) > 0
		return true
	case kind.Kind() == reflect.String:
		r.router[to] = text
		if len(field.Limits.Enum) > 0 && !slices.Contains(field.Limits.Enum, text) {
			r.refuse(name, "routers have no such word", "write one of "+strings.Join(field.Limits.Enum, ", "))
			return false
		}
		return true
	case kind.Kind() == reflect.Float64:
		r.router[to] = r.decimal(name)
		return true
	}
	n := r.integer(name)
	r.router[to] = n
	low, high := field.Limits.Minimum, field.Limits.Maximum
	if least, most := bound(low), bound(high); low != nil && n < least || high != nil && n > most {
		r.refuse(name, "out of range", fmt.Sprintf("allowed: %d to %d", least, most))
		return false
	}
	return true
}

func bound(n *strict.Number) int {
	switch {
	case n == nil:
		return 0
	case n.Negative:
		return -int(n.Magnitude)
	}
	return int(n.Magnitude)
}

// number is a key of routers that the scenario always states, because defaults differ.
func number(to string) rule {
	return func(r *reader, name string) (string, string) {
		r.give(name, to)
		return verdictSame, "router." + to
	}
}

// option is a key of routers that the scenario states if it is not BookSim's default.
func option(to string) rule {
	return func(r *reader, name string) (string, string) {
		if value, err := strconv.ParseFloat(r.text(name), 64); r.text(name) == r.declared[name].usual ||
			err == nil && value == r.declared[name].number() {
			return verdictSame, "the default of router." + to
		}
		return number(to)(r, name)
	}
}

func (k *key) number() float64 {
	n, _ := strconv.ParseFloat(k.usual, 64)
	return n
}

// speculation is a key of the object speculative, stated if it is not BookSim's default.
func speculation(to string) rule {
	return func(r *reader, name string) (string, string) {
		object, _ := r.router["speculative"].(map[string]any)
		if object == nil {
			object = map[string]any{}
			r.router["speculative"] = object
		}
		switch {
		case to == "" || r.text(name) == r.declared[name].usual:
		case r.declared[name].kinds == "s":
			object[to] = r.knownAllocator(name)
		default:
			object[to] = r.integer(name) > 0
		}
		return verdictSame, strings.TrimSuffix("router.speculative."+to, ".")
	}
}

func (r *reader) crossbarCycles() int {
	return r.integer("st_prepare_delay") + r.integer("st_final_delay")
}

func crossbarDelay(r *reader, name string) (verdict, text string) {
	sum := r.crossbarCycles()
	if sum == 1 {
		return verdictSame, "one cycle in the crossbar"
	}
	if field, _ := routerField("crossbar_delay"); field == nil && name == "st_final_delay" {
		r.refuse(name, fmt.Sprintf("%d cycles in the crossbar", sum), "let st_prepare_delay + st_final_delay be 1")
	}
	r.router["crossbar_delay"] = sum
	return verdictSame, "router.crossbar_delay"
}

// depthOfAll divides the size of all buffers of a port among its VCs.
func depthOfAll(r *reader, name string) (verdict, text string) {
	if r.text("buffer_policy") != "private" {
		return verdictSame, "router.buffers"
	}
	size, vcs := r.integer(name), r.integer("num_vcs")
	if r.router["depth"] = size / max(1, vcs); size < vcs {
		r.refuse(name, fmt.Sprintf("%d flits for %d VCs", size, vcs), "give at least one flit for each VC")
	}
	return verdictSame, "router.depth: the size divided by num_vcs"
}

func allocator(r *reader, name string) (verdict, text string) {
	r.router[name] = r.knownAllocator(name)
	return verdictSame, "router." + name
}

// knownAllocator returns an allocator without parameters that are its default.
func (r *reader) knownAllocator(name string) (word string) {
	word = r.text(name)
	for _, usual := range []string{"(1)", "(round_robin)", "()"} {
		word = strings.TrimSuffix(word, usual)
	}
	if _, err := hw.RouterAllocatorOf(word); err != nil {
		r.refuse(name, "routers have no such allocator", "write one of "+strings.Join(hw.RouterAllocators(), ", "))
	}
	return word
}

func simulation(r *reader, name string) (verdict, text string) {
	switch r.text(name) {
	case "latency":
		return verdictSame, "packets of the measured time are drained"
	case "batch":
		if r.arrivals != "" {
			return verdictNone, "packets come from the file"
		}
	case "throughput":
		if r.arrivals == "" {
			r.traffic["overload"], r.traffic["drain"] = true, 0
		}
		return verdictSame, "workload.traffic.overload: packets may be in flight at the end"
	}
	r.refuse(name, "a simulation of batches",
		"write sim_type = latency, or give the packets of a run: --arrivals PACKETS.csv")
	return "", ""
}

// policy sets the buffers that VCs share.
func policy(r *reader, name string) (verdict, text string) {
	switch r.text(name) {
	case "private":
		return verdictSame, "a buffer for each VC"
	case "shared":
	default:
		r.refuse(name, "routers have no such policy", "write buffer_policy = private or shared")
		return "", ""
	}
	size, pools, private := r.integer("buf_size"), r.integer("private_bufs"), r.integer("private_buf_size")
	vcs := r.integer("num_vcs")
	if size < 0 {
		size = vcs * r.integer("vc_buf_size")
	}
	if pools < 0 {
		pools = vcs
	}
	if pools = max(1, pools); private < 0 {
		private = size / pools
	}
	r.router["buffers"] = map[string]any{"policy": "shared", "size": size, "private": private, "pools": pools}
	return verdictSame, "router.buffers"
}
