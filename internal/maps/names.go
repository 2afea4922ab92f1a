package maps

import (
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
)

func isReset(name string) bool {
	return strings.Contains(name, "rst") || strings.Contains(name, "reset")
}

// lowReset matches names of resets that are active low: nrst, rst_ni, aresetn, rst_an, reset_b.
var lowReset = regexp.MustCompile(`^(.*_)?n_?(rst|reset)|(rst|reset)_?a?[nb](i)?$`)

func activeLow(name string) bool {
	return lowReset.MatchString(strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(name), "i_"), "_i"))
}

// alike lists synonyms that designers use.
var alike = [][]string{
	{"request", "req", "reqs", "valid", "requests"}, {"grant", "gnt", "gnts", "ready", "ack", "grants"},
	{"index", "idx", "id", "sel", "who", "tag", "encoded"}, {"data", "din", "wdata", "d", "in"},
	{"head", "dout", "rdata", "q", "out"}, {"push", "write", "wr", "wr_en", "we", "enq"},
	{"pop", "read", "rd", "rd_en", "re", "deq"},
	{"count", "level", "cnt", "occupancy", "usage", "fill", "depth", "credit", "credits", "num", "q"},
	{"take", "dec", "consume", "ack", "acknowledge", "yumi", "ready"}, {"give", "inc", "return"},
	{"enable", "en", "go"}, {"value", "v"}, {"up", "inc", "incr"}, {"down", "dec", "decr"},
}

// roles lists synonyms of the handshakes of a queue, by port of the model.
var roles = map[string][]string{
	"valid_i": {"v", "push", "write", "wr", "wr_en", "we", "enq", "put", "vld", "wvalid"},
	"ready_o": {"rdy", "ready_param", "wready"},
	"valid_o": {"v", "vld", "rvalid"},
	"ready_i": {"rdy", "pop", "read", "rd", "rd_en", "re", "deq", "get", "yumi", "take", "ack", "rready"},
	"take_i":  {"gnt", "grant"},
	"data_i":  {"din", "wdata", "wr_data", "d", "in"},
	"data_o":  {"dout", "rdata", "rd_data", "q", "out", "head"},
}

// opposites lists flags whose inverse is a handshake.
var opposites = map[string]string{"ready_o": "full", "valid_o": "empty"}

// bare returns a name without marks of its direction.
func bare(name string) string {
	name = strings.ToLower(name)
	for _, begin := range []string{"i_", "o_", "in_", "out_", "s_axis_t", "m_axis_t"} {
		name = strings.TrimPrefix(name, begin)
	}
	for _, end := range []string{"_i", "_o", "_in", "_out"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// similar rates the similarity of two names from 0 to 1.
func similar(port, pin string) float64 {
	a, b := bare(port), bare(pin)
	switch {
	case a == b:
		return 1
	case slices.Contains(roles[port], b):
		return .8
	case slices.ContainsFunc(alike, func(w []string) bool { return slices.Contains(w, a) && slices.Contains(w, b) }):
		return .8
	case strings.Contains(b, a):
		return nearness(a, b)
	case len(b) > 1 && strings.Contains(a, b):
		return .6
	}
	for word := range strings.SplitSeq(b, "_") {
		if slices.Contains(roles[port], word) || slices.ContainsFunc(alike, func(w []string) bool {
			return slices.Contains(w, a) && slices.Contains(w, word)
		}) {
			return nearness(word, b)
		}
	}
	return 0
}

// nearness rates a name that contains a word: the shorter, the better.
func nearness(word, name string) float64 {
	return .5 + float64(.1*float64(len(word))/float64(len(name)))
}

// meant rates a pin for a port of a model. not means that the pin is the inverse of the port.
func meant(port, pin string) (score float64, not bool) {
	flag, name := opposites[port], bare(pin)
	switch {
	case flag == "" || !strings.Contains(name, flag):
		return similar(port, pin), false
	case name == flag:
		return .75, true
	case strings.Contains(name, "almost") || strings.Contains(name, "prog"):
		return 0, false
	}
	return nearness(flag, name), true
}

// enabling lists words of inputs that are 1 in use.
var enabling = []string{"en", "ena", "enable", "ready", "rdy", "commit", "ce", "cke", "go", "run", "grant", "then"}

// disabling lists words of inputs that are 0 in use, and stay 0 in every trial. RTL that is always cleared agrees with
// any model.
var disabling = []string{"clr", "clear", "flush", "test", "testmode", "scan", "init", "halt", "stall", "sclr", "aclr"}

// tied returns the value of an input of the RTL that the model lacks. opposite asks for the other level of a bit.
func tied(p *cosim.Port, opposite bool) uint64 {
	words := strings.Split(bare(p.Name), "_")
	among := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	on := among(enabling) || strings.HasSuffix(bare(p.Name), "_n")
	if on != (opposite && p.Bits == 1 && !among(disabling)) {
		return ^uint64(0) >> (64 - min(p.Bits, 64))
	}
	return 0
}
