package maps

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// A Guess is a first pin map of some RTL, guessed from names, directions and widths of ports.
type Guess struct {
	Top     string
	Sources []string // relative to the map
	Ports   []cosim.Port
	Params  map[string]string // of the RTL, as they were given

	clock, reset *cosim.Port
	fits         []fit // models, the best first

	latency int  // of all outputs, in cycles
	flip    bool // the reset has the other level than its name says
	tried   bool // see Try
	passed  []string
}

// fit is a model with parameters, and with a pin for each of its ports.
type fit struct {
	model      string
	parameters twin.Parameters
	pins       map[string]*cosim.Port // by port of the model
	ports      []cosim.Port           // of the model, without clock and reset
	score      float64
}

// NewGuess guesses clock, reset and model. model "" selects the model with the best fit.
func NewGuess(top string, sources []string, ports []cosim.Port, models []twin.Twin, model string) (*Guess, error) {
	g := &Guess{Top: top, Sources: sources, Ports: ports}
	for i := range g.Ports {
		p := &g.Ports[i]
		name := strings.ToLower(p.Name)
		switch {
		case !p.Input || p.Bits != 1:
		case g.clock == nil && !isReset(name) && (p.Clock || p.Edges || strings.Contains(name, "clk") ||
			strings.Contains(name, "clock")):
			g.clock = p
		case g.reset == nil && isReset(name):
			g.reset = p
		}
	}
	var pins []*cosim.Port
	for i := range g.Ports {
		if p := &g.Ports[i]; p != g.clock && p != g.reset {
			pins = append(pins, p)
		}
	}
	for _, t := range models {
		if model != "" && t.Name != model {
			continue
		}
		for _, parameters := range trials(t, pins) {
			f, err := fitting(t, parameters, pins)
			if err != nil {
				return nil, err
			}
			if f != nil && len(f.pins) > 0 {
				f.score += named(t.Name, top)
				g.fits = append(g.fits, *f)
			}
		}
	}
	slices.SortStableFunc(g.fits, func(a, b fit) int { return cmp.Compare(b.score, a.score) })
	return g, nil
}

// named scores a model by its words in the name of the RTL.
func named(model, top string) (score float64) {
	top = "_" + strings.ToLower(top) + "_"
	for _, word := range strings.Split(model, "_") {
		if strings.Contains(top, word) {
			score += .1
		}
	}
	if model == "arbiter_round_robin" && (strings.Contains(top, "_rr") || strings.Contains(top, "rr_")) {
		score += .2
	}
	return score
}

func isReset(name string) bool {
	return strings.Contains(name, "rst") || strings.Contains(name, "reset")
}

// trials returns the parameters to test: those of a model, and variants with one of them replaced by a width of the
// RTL.
func trials(t twin.Twin, pins []*cosim.Port) []twin.Parameters {
	all := slices.Clone(t.Sets[:min(len(t.Sets), 4)])
	widths := map[int]bool{}
	for _, p := range pins {
		widths[p.Bits] = true
	}
	for _, name := range slices.Sorted(maps.Keys(t.Sets[0])) {
		for _, width := range slices.Sorted(maps.Keys(widths)) {
			other := maps.Clone(t.Sets[0])
			other[name] = width
			all = append(all, other)
		}
	}
	return all
}

// alike lists synonyms that designers use.
var alike = [][]string{
	{"request", "req", "valid", "requests"}, {"grant", "gnt", "ready", "ack", "grants"},
	{"index", "idx", "id", "sel", "who"}, {"data", "din", "wdata", "d", "in"}, {"head", "dout", "rdata", "q", "out"},
	{"push", "write", "wr", "wr_en", "we", "enq"}, {"pop", "read", "rd", "rd_en", "re", "deq"},
	{"count", "level", "cnt", "occupancy"}, {"take", "dec", "consume"}, {"give", "inc", "return"}, {"enable", "en", "go"},
	{"value", "v"},
}

// similar rates the similarity of two names from 0 to 1.
func similar(port, pin string) float64 {
	bare := func(name string) string {
		name = strings.ToLower(name)
		for _, end := range []string{"_i", "_o", "_in", "_out"} {
			name = strings.TrimSuffix(name, end)
		}
		return name
	}
	a, b := bare(port), bare(pin)
	switch {
	case a == b:
		return 1
	case slices.ContainsFunc(alike, func(w []string) bool { return slices.Contains(w, a) && slices.Contains(w, b) }):
		return .8
	case strings.Contains(b, a) || len(b) > 1 && strings.Contains(a, b):
		return .6
	}
	return 0
}

// fitting maps each port of a model to the best pin. It returns nil for parameters that the model rejects.
func fitting(t twin.Twin, parameters twin.Parameters, pins []*cosim.Port) (f *fit, err error) {
	m, err := t.New(parameters)
	if err != nil {
		return nil, nil
	}
	f = &fit{model: t.Name, parameters: parameters, pins: map[string]*cosim.Port{}}
	for _, p := range m.Ports() {
		if !p.Clock && p.Name != "clock" && p.Name != "reset" {
			f.ports = append(f.ports, p)
		}
	}
	if err := m.Close(); err != nil {
		return nil, err
	}
	type pair struct {
		port  cosim.Port
		pin   *cosim.Port
		score float64
	}
	var pairs []pair
	for _, port := range f.ports {
		for _, pin := range pins {
			score := similar(port.Name, pin.Name)
			switch {
			case port.Input != pin.Input || pin.Bits > port.Bits || score == 0 && (pin.Bits != port.Bits || pin.Bits == 1):
				continue
			case pin.Bits == port.Bits:
				score += .5
			default:
				score -= .2 // zeros above it
			}
			pairs = append(pairs, pair{port, pin, score})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.score, a.score) })
	used := map[*cosim.Port]bool{}
	for _, x := range pairs {
		if f.pins[x.port.Name] == nil && !used[x.pin] && x.score > 0 {
			f.pins[x.port.Name], used[x.pin] = x.pin, true
			f.score += x.score
		}
	}
	f.score -= float64(.4 * float64(len(f.ports)-len(f.pins)+len(pins)-len(used)))
	return f, nil
}

// Text returns the pin map, with a comment for each guess.
func (g *Guess) Text() string {
	var b strings.Builder
	b.WriteString("# A first pin map, by 'starloom map'. Lines with \"guess\" follow names, directions and widths of\n" +
		"# ports: check them, then run 'starloom cosim check'. 'starloom cosim check --help --all' explains every key.\n" +
		"#\n# ports of the RTL:\n")
	for _, p := range g.Ports {
		fmt.Fprintf(&b, "#   %-6s %3d  %s\n", map[bool]string{true: "input", false: "output"}[p.Input], p.Bits, p.Name)
	}
	b.WriteString(g.passedText())
	if len(g.fits) == 0 {
		b.WriteString("model: MODEL  # no model has ports like these: 'starloom cosim check --list' lists all\n")
	} else {
		best := &g.fits[0]
		fmt.Fprintf(&b, "model: %s  # guess%s\n", best.model, g.others())
		b.WriteString("parameters: {")
		for i, name := range slices.Sorted(maps.Keys(best.parameters)) {
			fmt.Fprintf(&b, "%s%s: %d", strings.Repeat(", ", min(i, 1)), name, best.parameters[name])
		}
		b.WriteString("}  # guess\n")
	}
	fmt.Fprintf(&b, "top: %s\nsources: [%s]\n", g.Top, strings.Join(g.Sources, ", "))
	if len(g.Params) > 0 {
		var params []string
		for _, name := range slices.Sorted(maps.Keys(g.Params)) {
			params = append(params, name+": "+g.Params[name])
		}
		fmt.Fprintf(&b, "params: {%s}\n", strings.Join(params, ", "))
	}
	if g.clock != nil {
		fmt.Fprintf(&b, "clock: %s  # guess\n", g.clock.Name)
	}
	switch {
	case g.reset == nil:
		b.WriteString("# reset: {pin: PIN, active: low}  # no input has such a name\n")
	case activeLow(g.reset.Name) != g.flip:
		fmt.Fprintf(&b, "reset: {pin: %s, active: low}  # guess\n", g.reset.Name)
	default:
		fmt.Fprintf(&b, "reset: %s  # guess: active high\n", g.reset.Name)
	}
	if len(g.fits) > 0 {
		g.writePins(&b, &g.fits[0])
		b.WriteString(g.latencyText())
	}
	return b.String()
}

func activeLow(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), "_i")
	for _, end := range []string{"_n", "_ni", "_b", "rstn", "resetn"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.HasPrefix(name, "n_") || strings.HasPrefix(name, "nrst") || strings.HasPrefix(name, "nreset")
}

// others names the models with a similarly good fit.
func (g *Guess) others() string {
	var names []string
	for _, f := range g.fits[1:] {
		near := f.score > g.fits[0].score-1 && len(names) < 4
		if near && f.model != g.fits[0].model && !slices.Contains(names, f.model) {
			names = append(names, f.model)
		}
	}
	if names == nil {
		return ""
	}
	return "; other models with such ports: " + strings.Join(names, ", ")
}

func bareName(port string) string { return strings.TrimSuffix(strings.TrimSuffix(port, "_i"), "_o") }

func (g *Guess) writePins(b *strings.Builder, f *fit) {
	b.WriteString("pins:  # port of the model: pin of the RTL\n")
	used := map[string]bool{}
	var absent []string
	for _, p := range f.ports {
		name := bareName(p.Name)
		if slices.ContainsFunc(f.ports, func(other cosim.Port) bool {
			return other.Name != p.Name && bareName(other.Name) == name
		}) {
			name = p.Name
		}
		switch pin := f.pins[p.Name]; {
		case pin == nil && p.Input:
			fmt.Fprintf(b, "  %s: 0  # guess: no pin fits this input of %d bits\n", name, p.Bits)
		case pin == nil:
			absent = append(absent, name)
		case pin.Bits < p.Bits:
			used[pin.Name] = true
			fmt.Fprintf(b, "  %s: [0, %s]  # guess: zeros above %d bits\n", name, pin.Name, pin.Bits)
		default:
			used[pin.Name] = true
			fmt.Fprintf(b, "  %s: %s  # guess\n", name, pin.Name)
		}
	}
	if f.pins["valid_i"] != nil && f.pins["ready_o"] != nil && f.pins["data_i"] != nil {
		b.WriteString("assume: " +
			"\"$past(valid_i && !ready_o) -> valid_i && data_i == $past(data_i)\"  # guess: an offer stays\n")
	}
	if f.pins["valid_o"] != nil && f.pins["data_o"] != nil {
		b.WriteString("compare: {data_o: valid_o}  # guess: data count while valid is 1\n")
	}
	if absent != nil {
		fmt.Fprintf(b, "absent: [%s]  # guess: no pin fits these outputs\n", strings.Join(absent, ", "))
	}
	var ties []string
	for _, p := range g.Ports {
		special := g.clock != nil && p.Name == g.clock.Name || g.reset != nil && p.Name == g.reset.Name
		if p.Input && !used[p.Name] && !special {
			ties = append(ties, p.Name+": 0")
		}
	}
	if ties != nil {
		fmt.Fprintf(b, "ties: {%s}  # guess: the model lacks these inputs\n", strings.Join(ties, ", "))
	}
}
