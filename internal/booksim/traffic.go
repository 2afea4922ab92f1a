package booksim

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// readTraffic sets sizes, rate and windows, which depend on several keys.
func (r *reader) readTraffic() {
	if r.arrivals != "" {
		r.traffic["arrivals"], r.traffic["file"] = "file", r.arrivals
		return
	}
	mean := r.sizes()
	rate := r.rate() / map[bool]float64{false: 1, true: mean}[r.integer("injection_rate_uses_flits") != 0]
	if r.traffic["rate"] = rate; rate <= 0 || rate > 1 {
		r.refuse("injection_rate", fmt.Sprintf("%v packets per node and cycle", rate), "give more than 0, and at most 1")
	}
	period, warm := r.integer("sample_period"), r.integer("warmup_periods")
	if warm < 1 {
		warm = 1
	}
	samples := r.integer("max_samples") - warm
	if period < 1 || samples < 1 {
		r.refuse("max_samples", fmt.Sprintf("%d sample periods of %d cycles after the warm-up", samples, period),
			"give at least one")
		return
	}
	r.traffic["warm_up"], r.traffic["measure"] = warm*period, samples*period
	if seed := r.integer("seed"); seed > 0 {
		r.top["seed"] = seed
	}
	if r.traffic["pattern"] == nil {
		return
	}
	r.bursts(rate)
}

// rate returns the injection rate of the first class.
func (r *reader) rate() float64 {
	if all := list(r.text("injection_rate")); len(all) > 0 {
		var f float64
		_, _ = fmt.Sscan(all[0], &f) // BookSim takes the number at the beginning, otherwise 0
		return f
	}
	return 0
}

// sizes sets the sizes of packets, and returns their mean. A list has an entry for each class; a list of sizes is an
// entry in braces.
func (r *reader) sizes() (mean float64) {
	sizes := integers(first(r.text("packet_size")))
	text := r.text("packet_size_rate")
	weights := integers(first(text))
	if len(sizes) == 0 {
		sizes = []int{0}
	}
	if len(weights) == 0 {
		weights = []int{0}
	}
	for len(weights) < len(sizes) {
		weights = append(weights, weights[len(weights)-1])
	}
	if len(sizes) == 1 {
		weights = []int{1}
	}
	all, shares := 0, []map[string]any{}
	for i, size := range sizes {
		mean, all = mean+float64(size*weights[i]), all+weights[i]
		if size < 1 || size > 255 || weights[i] < 0 {
			r.refuse("packet_size", fmt.Sprintf("packets of %d flits", size), "allowed: 1 to 255")
			return 1
		}
		if weights[i] > 0 {
			shares = append(shares, map[string]any{"frames": size, "weight": weights[i]})
		}
	}
	if all == 0 {
		r.refuse("packet_size_rate", "no size of packets has a rate", "give one size a rate above 0")
		return 1
	}
	if r.traffic["size"] = any(shares); len(shares) == 1 {
		r.traffic["size"] = shares[0]["frames"]
	}
	return mean / float64(all)
}

func first(text string) string { return append(list(text), "")[0] }

// patterns are the patterns of one destination for each source.
var patterns = map[string]string{"uniform": "uniform", "bitcomp": "bit_complement", "bitrev": "bit_reverse",
	"shuffle": "shuffle", "transpose": "transpose"}

const asFile = "write the packets of a run into a file, and give --arrivals PACKETS.csv"

func pattern(r *reader, name string) (verdict, text string) {
	word, parameters := call(first(r.text(name)))
	nodes := r.network.nodes
	set := func(pattern, key string, value any) {
		if r.traffic["pattern"] = pattern; key != "" {
			r.traffic[key] = value
		}
	}
	if nodes == 0 { // the network is refused
		return "", ""
	}
	parameter := func(i int, usual string) int {
		if i < len(parameters) {
			return leadingInteger(parameters[i])
		}
		return r.integer(usual)
	}
	switch power := nodes&(nodes-1) == 0; {
	case patterns[word] != "" && word != "uniform" && !power:
		r.refuse(name, fmt.Sprintf("BookSim stops with %d nodes", nodes), "use a power of two for the number of nodes")
	case patterns[word] != "":
		set(patterns[word], "", nil)
	case word == "tornado" || word == "neighbor":
		r.digits(word, parameter(0, "k"), parameter(1, "n"), parameter(2, "xr"))
	case word == "bad_dragon":
		group := 2 * parameter(0, "k") * parameter(0, "k")
		if set("next_group", "group", group); group < 1 || nodes%group != 0 || nodes < 2*group {
			r.refuse(name, fmt.Sprintf("groups of %d of %d nodes", group, nodes), "use topology = dragonflynew")
		}
	case word == "randperm":
		if len(parameters) == 0 && r.text("perm_seed") == "time" {
			r.refuse("perm_seed", "a permutation that depends on the time", "write a number")
		}
		set("permutation", "destinations", permutation(nodes, parameter(0, "perm_seed")))
		return verdictSame, "workload.traffic.destinations: BookSim's permutation of this seed"
	case word == "hotspot":
		return verdictSame, "workload.traffic.hotspots: all packets go to " + r.hotspots(parameters)
	default:
		r.refuse(name, "scenarios have no such pattern", asFile)
	}
	return verdictSame, fmt.Sprintf("workload.traffic.pattern: %v", r.traffic["pattern"])
}

// digits is a pattern on each digit of a node's number, in base k * xr.
func (r *reader) digits(word string, k, n, columns int) {
	sides, product := slices.Repeat([]int{k * columns}, max(n, 0)), 1
	for _, side := range sides {
		product *= max(side, 0)
	}
	if product != r.network.nodes {
		r.refuse("traffic", fmt.Sprintf("%d digits in base %d, for %d nodes", n, k*columns, r.network.nodes),
			"give the numbers of the network, traffic = "+word+"({K,N,XR}), whose power (K*XR)^N is the number of nodes")
		return
	}
	r.traffic["pattern"], r.traffic["dimensions"] = strings.Replace(word, "bor", "bour", 1), sides
}

// hotspots shares all packets among nodes by their rates, and names them. A negative number is a draw before the
// generator is seeded.
func (r *reader) hotspots(parameters []string) (said string) {
	unseeded, rates := newRandom(randomUnseeded), []int{1}
	spots := integers(append(parameters, "-1")[0])
	if len(parameters) > 1 {
		rates = integers(parameters[1])
	}
	all := 0
	for i, node := range spots {
		if node < 0 {
			spots[i] = unseeded.draw(r.network.nodes)
		}
		if len(rates) <= i {
			rates = append(rates, rates[len(rates)-1])
		}
		if all += rates[i]; rates[i] < 1 || spots[i] >= r.network.nodes {
			r.refuse("traffic", fmt.Sprintf("node %d with rate %d", spots[i], rates[i]),
				fmt.Sprintf("allowed: nodes up to %d, and rates from 1 on", r.network.nodes-1))
			return ""
		}
	}
	shares, separator := []map[string]any{}, ""
	for i, node := range spots {
		said += separator + fmt.Sprint(node)
		separator = ", "
		shares = append(shares, map[string]any{"node": node, "share": float64(rates[i]) / float64(all)})
	}
	r.traffic["pattern"], r.traffic["hotspots"] = "hotspot", shares
	return said
}

func process(r *reader, name string) (verdict, text string) {
	switch word, _ := call(first(r.text(name))); word {
	case "bernoulli":
		return verdictSame, "workload.traffic.arrivals: bernoulli"
	case "on_off":
		return verdictSame, "workload.traffic.arrivals: bursty; a source starts in a burst with the long-term probability"
	}
	r.refuse(name, "BookSim has no such process", "write injection_process = bernoulli")
	return "", ""
}

// bursts sets bursts with a packet in each cycle: the only ones that scenarios have.
func (r *reader) bursts(rate float64) {
	word, parameters := call(first(r.text("injection_process")))
	if word != "on_off" {
		return
	}
	value := func(i int, usual string) (f float64) {
		text := r.text(usual)
		if i < len(parameters) {
			text = parameters[i]
		}
		_, _ = fmt.Sscan(text, &f) // as BookSim: otherwise 0
		return f
	}
	alpha, beta, within := value(0, "burst_alpha"), value(1, "burst_beta"), value(2, "burst_r1")
	switch {
	case alpha < 0:
		alpha = beta * rate / (within - rate)
	case beta < 0:
		beta = alpha * (within - rate) / rate
	default:
		within = rate * (alpha + beta) / alpha
	}
	if math.Abs(within-1) > 1e-9 || alpha <= 0 || beta <= 0 || beta > 1 {
		r.refuse("injection_process", fmt.Sprintf("bursts with %.4g packets per cycle", within),
			"give numbers with burst_r1 = 1.0 and one of burst_alpha, burst_beta below 0; or "+asFile)
		return
	}
	r.traffic["arrivals"], r.traffic["burst"] = "bursty", 1/beta
}
