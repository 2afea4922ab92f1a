package booksim

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// readTraffic sets sizes, rate and windows, which depend on several keys.
func (r *reader) readTraffic() {
	if r.readClasses(); r.arrivals != "" {
		r.traffic["arrivals"], r.traffic["file"] = "file", r.arrivals
		return
	}
	var rate float64
	if !r.classified() {
		rate = r.drawnBy(r.traffic, 0)
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
	if r.traffic["pattern"] == nil || r.classified() {
		return
	}
	r.bursts(rate)
}

// drawnBy sets the sizes and the rate of a class. It returns the rate in packets per node and cycle.
func (r *reader) drawnBy(keys map[string]any, class int) (rate float64) {
	size, mean := r.sizes(class)
	if requests := r.requests(class); requests != nil {
		keys["requests"] = requests
	} else {
		keys["size"] = size
	}
	// BookSim takes the number at the beginning, otherwise 0
	_, _ = fmt.Sscan(element(r.text("injection_rate"), class), &rate)
	if r.integer("injection_rate_uses_flits") != 0 {
		rate /= mean
	}
	if keys["rate"] = rate; rate <= 0 || rate > 1 {
		r.refuse("injection_rate", fmt.Sprintf("%v packets per node and cycle", rate), "give more than 0, and at most 1")
	}
	return rate
}

// sizes returns the sizes of the packets of a class, and their mean. A list has an entry for each class; a list of
// sizes is an entry in braces. Requests and replies count as one packet of half their sum, rounded down.
func (r *reader) sizes(class int) (size any, mean float64) {
	if r.reads(class) {
		sum := 0
		for _, kind := range messages {
			sum += leadingInteger(element(r.text(kind+"_size"), class))
		}
		return nil, float64(max(1, sum/2))
	}
	sizes, weights := integers(element(r.text("packet_size"), class)), integers(element(r.text("packet_size_rate"), class))
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
			return nil, 1
		}
		if weights[i] > 0 {
			shares = append(shares, map[string]any{"frames": size, "weight": weights[i]})
		}
	}
	if all == 0 {
		r.refuse("packet_size_rate", "no size of packets has a rate", "give one size a rate above 0")
		return nil, 1
	}
	if size = any(shares); len(shares) == 1 {
		size = shares[0]["frames"]
	}
	return size, mean / float64(all)
}

func first(text string) string { return element(text, 0) }

// element returns an entry of a list; the last entry stands for all later ones.
func element(text string, index int) string {
	all := append(list(text), "")
	return all[min(index, max(0, len(all)-2))]
}

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
