package booksim

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"starloom/traces/input"
)

// topologies are the networks of BookSim. Scenarios have the networks with read, with these routing functions. The
// other functions, and the other networks, are refused with the reason.
var topologies = map[string]struct {
	functions, others []string
	read              func(r *reader)
	lacks             string
}{
	"mesh": {[]string{"dor", "dim_order", "xy_yx", "adaptive_xy_yx", "min_adapt", "romm"}, []string{"planar_adapt",
		"limited_adapt", "romm_ni", "valiant", "dim_order_ni", "dim_order_pni", "chaos"}, (*reader).cube, ""},
	"torus": {[]string{"dim_order"}, []string{"dim_order_bal", "dim_order_ni", "min_adapt", "valiant", "valiant_ni",
		"chaos"}, (*reader).cube, ""},
	"fly":    {[]string{"dest_tag"}, nil, (*reader).fly, ""},
	"anynet": {[]string{"min"}, nil, (*reader).anynet, ""},
	"cmesh":  {[]string{"dor_no_express", "xy_yx_no_express"}, []string{"dor", "xy_yx"}, (*reader).cmesh, ""},
	"flatfly": {[]string{"ran_min", "xyyx", "adaptive_xyyx", "valiant", "ugal"}, []string{"ugal_xyyx", "ugal_pni"},
		(*reader).flatfly, ""},
	"fattree":      {[]string{"nca", "anca"}, nil, (*reader).fattree, ""},
	"tree4":        {lacks: "its way up is drawn for each packet"},
	"qtree":        {lacks: "a tree with one root"},
	"dragonflynew": {lacks: "its sources draw the virtual channel of each packet"},
}

const ownRoutes = "; or write the scenario with routes of your own (docs/reference/routers.md)"

func (r *reader) readNetwork() {
	name := r.text("topology")
	t, ok := topologies[name]
	known := slices.DeleteFunc(slices.Sorted(maps.Keys(topologies)),
		func(name string) bool { return topologies[name].read == nil })
	if t.read == nil {
		reason := "Starloom lacks this network: " + t.lacks
		if !ok {
			reason = "BookSim 2 has no such topology, and stops"
		}
		r.refuse("topology", reason, "write topology = "+strings.Join(known, ", ")+ownRoutes)
		return
	}
	if function := r.text("routing_function"); !slices.Contains(t.functions, function) {
		reason := "BookSim 2 has no such function for topology = " + name + ", and stops"
		if slices.Contains(t.others, function) {
			reason = "Starloom's routes lack this function"
		}
		r.refuse("routing_function", reason, "write routing_function = "+strings.Join(t.functions, " or ")+ownRoutes)
	}
	r.rules()
	if k, n := r.integer("k"), r.integer("n"); name != "anynet" && (k < 1 || n < 1 || r.power() > nodesMax) {
		r.refuse("k", fmt.Sprintf("%d to the power of n = %d nodes", k, n), fmt.Sprintf("allowed: 1 to %d nodes", nodesMax))
		return
	}
	t.read(r)
}

const nodesMax = 1 << 20

// power returns k to the power of n, or a number above nodesMax.
func (r *reader) power() int {
	nodes := 1
	for range min(r.integer("n"), 64) {
		nodes = min(nodes*r.integer("k"), nodesMax+1)
	}
	return nodes
}

func (r *reader) cube() {
	k, n := r.integer("k"), r.integer("n")
	kind, grid := r.text("topology"), map[string]any{"k": slices.Repeat([]int{k}, n)}
	switch {
	case k < 2 || n > 16:
		r.refuse("k", fmt.Sprintf("%d routers in each of n = %d dimensions", k, n), "give 2 or more, in 1 to 16 dimensions")
	case kind == "torus" && r.integer("num_vcs") < 2:
		r.refuse("num_vcs", "dim_order needs two classes of VCs", "write num_vcs = 2 or more")
	case kind == "torus" && r.text("use_noc_latency") != "1":
		grid["latency"] = 1
	}
	r.netlist[kind], r.network = grid, network{r.power(), slices.Repeat([]int{k}, n)}
}

func (r *reader) fly() {
	stages := slices.Repeat([]int{r.integer("k")}, r.integer("n"))
	r.netlist["fly"], r.network = map[string]any{"k": stages}, network{r.power(), nil}
}

// square checks the keys of a grid of routers with a square of nodes each, and returns a side of the square.
func (r *reader) square(routers int) (side int) {
	side = r.integer("xr")
	if c := r.integer("c"); side < 1 || side != r.integer("yr") || c != side*side {
		r.refuse("c", fmt.Sprintf("%d nodes per router, in xr = %d columns and yr = %d rows", c, side, r.integer("yr")),
			"give a square: xr = yr, and c = xr * yr")
	}
	if x := r.integer("x"); x < 1 || x != r.integer("y") {
		r.refuse("x", fmt.Sprintf("a grid of x = %d by y = %d routers", x, r.integer("y")), "give x = y")
	}
	r.network = network{routers * side * side, nil}
	return side
}

func (r *reader) cmesh() {
	k, side := r.integer("k"), r.square(r.power())
	if side != 2 || r.integer("n") != 2 || r.integer("x") != k {
		r.refuse("k", "a concentrated mesh with other numbers", "write n = 2, c = 4, xr = yr = 2, x = y = k")
	}
	network := map[string]any{"k": k}
	if r.text("use_noc_latency") != "1" {
		network["latency"] = 1
	}
	r.netlist["cmesh"] = network
}

func (r *reader) fattree() {
	r.netlist["fattree"], r.network = map[string]any{"k": r.integer("k"), "n": r.integer("n")}, network{r.power(), nil}
}

func (r *reader) flatfly() {
	network := map[string]any{"k": r.integer("k"), "n": r.integer("n"), "side": r.square(r.power()),
		"columns": r.integer("x")}
	if r.text("use_noc_latency") != "1" {
		network["latency"] = 1
	}
	r.netlist["flatfly"] = network
}

var nodeOf = regexp.MustCompile(`\bnode\s+(\d+)`)

func (r *reader) anynet() {
	path := r.text("network_file")
	if path == "" {
		r.refuse("network_file", "an anynet without its file", "write network_file = FILE;")
		return
	}
	data, err := r.source.Read(path)
	if err != nil {
		r.wrong.Add(input.Unreadable(path, err, "BookSim reads network_file from the working folder; the import also looks "+
			"beside the configuration"))
		return
	}
	nodes := map[string]bool{}
	for _, found := range nodeOf.FindAllSubmatch(data, -1) {
		nodes[string(found[1])] = true
	}
	r.netlist["anynet"], r.network = r.source.Locate(path), network{len(nodes), nil}
}
