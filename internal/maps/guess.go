package maps

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
	"starloom/cosim/twin"
)

// A Guess is a first pin map of some RTL, guessed from names, directions and widths of ports.
type Guess struct {
	Source cosim.Source // files and folders are relative to the map
	Ports  []cosim.Port

	clock, reset *cosim.Port
	fits         []fit // models, the best first

	dressing
	tried  bool // see Try
	passed []string
}

// fit is a model with parameters, and with a pin for each of its ports.
type fit struct {
	model      string
	parameters twin.Parameters
	pins       map[string]*cosim.Port // by port of the model
	inverted   map[string]bool        // ports whose pin has the opposite meaning: full for ready
	ports      []cosim.Port           // of the model, without clock and reset
	conditions []condition            // that RTL of this kind may rely on
	without    string                 // an input of the model that has no pin, though one fits
	score      float64
}

// NewGuess guesses clock, reset and model. model "" selects the model with the best fit.
func NewGuess(source cosim.Source, ports []cosim.Port, models []twin.Twin, model string) (*Guess, error) {
	g := &Guess{Source: source, Ports: ports}
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
			f, err := fitting(t, parameters, pins, "")
			if err != nil {
				return nil, err
			}
			if f == nil || len(f.pins) == 0 {
				continue
			}
			f.score += named(t.Name, source.Top)
			g.fits = append(g.fits, *f)
			for _, port := range f.weak() {
				other, err := fitting(t, parameters, pins, port)
				if err != nil {
					return nil, err
				}
				other.score += named(t.Name, source.Top)
				g.fits = append(g.fits, *other)
			}
		}
	}
	slices.SortStableFunc(g.fits, func(a, b fit) int { return cmp.Compare(b.score, a.score) })
	if len(g.fits) > 0 {
		g.relied = usual(g.fits[0].conditions)
	}
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

// weak returns the inputs of one bit whose pins have other names.
func (f *fit) weak() (list []string) {
	for _, p := range f.ports {
		if pin := f.pins[p.Name]; p.Input && p.Bits == 1 && pin != nil && similar(p.Name, pin.Name) < 1 {
			list = append(list, p.Name)
		}
	}
	return list
}

// fitting maps each port of a model, except one, to the best pin. It returns nil for parameters that the model rejects.
func fitting(t twin.Twin, parameters twin.Parameters, pins []*cosim.Port, without string) (f *fit, err error) {
	m, err := t.New(parameters)
	if err != nil {
		return nil, nil
	}
	f = &fit{model: t.Name, parameters: parameters, pins: map[string]*cosim.Port{}, inverted: map[string]bool{},
		without: without}
	f.ports = slices.DeleteFunc(slices.Clone(m.Ports()), func(p cosim.Port) bool {
		return p.Clock || p.Name == "clock" || p.Name == "reset"
	})
	if err := m.Close(); err != nil {
		return nil, err
	}
	f.assign(pins)
	f.conditions = f.reliable()
	return f, nil
}

// A pair is a port of a model with a pin that may fit.
type pair struct {
	port  cosim.Port
	pin   *cosim.Port
	score float64
	not   bool
}

// assign assigns the best pin to each port, and rates the fit.
func (f *fit) assign(pins []*cosim.Port) {
	var pairs []pair
	for _, port := range f.ports {
		for _, pin := range pins {
			score, not := meant(port.Name, pin.Name)
			switch {
			case port.Name == f.without || port.Input != pin.Input || score == 0 && (pin.Bits != port.Bits || pin.Bits == 1):
				continue
			case pin.Bits > port.Bits && (pin.Input || port.Bits == 1 || score < .8):
				continue
			case pin.Bits == port.Bits:
				score += .5
			default:
				score -= .2 // zeros above it
			}
			pairs = append(pairs, pair{port, pin, score, not})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.score, a.score) })
	used := map[*cosim.Port]bool{}
	for _, x := range pairs {
		if f.pins[x.port.Name] == nil && !used[x.pin] && x.score > 0 {
			f.pins[x.port.Name], used[x.pin] = x.pin, true
			f.inverted[x.port.Name] = x.not
			f.score += x.score
		}
	}
	f.score -= float64(.4 * float64(len(f.ports)-len(f.pins)+len(pins)-len(used)))
	for _, p := range f.ports {
		if f.pins[p.Name] == nil && (p.Input || opposites[p.Name] != "") {
			f.score -= .6 // an input that is never driven, or an unseen handshake
		}
	}
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
	g.writeSource(&b)
	if g.clock != nil {
		fmt.Fprintf(&b, "clock: %s  # guess\n", g.clock.Name)
	}
	g.writeReset(&b)
	if len(g.fits) > 0 {
		g.writePins(&b, &g.fits[0])
		b.WriteString(g.latencyText())
	}
	return b.String()
}

func (g *Guess) writeSource(b *strings.Builder) {
	fmt.Fprintf(b, "top: %s\nsources: [%s]\n", g.Source.Top, strings.Join(g.Source.Files, ", "))
	if len(g.Source.IncludeDirs) > 0 {
		fmt.Fprintf(b, "include: [%s]\n", strings.Join(g.Source.IncludeDirs, ", "))
	}
	for _, constants := range []struct {
		key    string
		values map[string]string
	}{{"defines", g.Source.Defines}, {"params", g.Source.Params}} {
		if len(constants.values) == 0 {
			continue
		}
		var list []string
		for _, name := range slices.Sorted(maps.Keys(constants.values)) {
			value := constants.values[name]
			if _, err := strconv.Atoi(value); err != nil {
				value = strconv.Quote(value)
			}
			list = append(list, name+": "+value)
		}
		fmt.Fprintf(b, "%s: {%s}\n", constants.key, strings.Join(list, ", "))
	}
}

func (g *Guess) writeReset(b *strings.Builder) {
	cycles := ""
	if g.cycles > 0 {
		cycles = fmt.Sprintf(", cycles: %d", g.cycles)
	}
	switch {
	case g.reset == nil && g.cycles > 0:
		fmt.Fprintf(b, "reset: {cycles: %d}  # guess: not compared in these cycles\n", g.cycles)
	case g.reset == nil:
		b.WriteString("# reset: {pin: PIN, active: low}  # no input has such a name\n")
	case activeLow(g.reset.Name) != g.flip:
		fmt.Fprintf(b, "reset: {pin: %s, active: low%s}  # guess\n", g.reset.Name, cycles)
	case g.cycles > 0:
		fmt.Fprintf(b, "reset: {pin: %s%s}  # guess: active high\n", g.reset.Name, cycles)
	default:
		fmt.Fprintf(b, "reset: %s  # guess: active high\n", g.reset.Name)
	}
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

// pinText returns the line of a port, "" for an output without a pin.
func (g *Guess) pinText(f *fit, p *cosim.Port, name string) string {
	pin := f.pins[p.Name]
	switch {
	case pin == nil && p.Input:
		return fmt.Sprintf("  %s: 0  # guess: no pin fits this input of %d bits\n", name, p.Bits)
	case pin == nil:
		return ""
	case slices.Contains(g.dropped, p.Name):
		return fmt.Sprintf("  # %s: %s  # guess: differs in every variant\n", name, pin.Name)
	case g.reversed && p.Bits == pin.Bits && p.Bits > 1:
		return fmt.Sprintf("  %s: reverse(%s)  # guess: by trial\n", name, pin.Name)
	case pin.Bits > p.Bits:
		return fmt.Sprintf("  %s: low(%s)  # guess: zeros above %d bits\n", name, pin.Name, p.Bits)
	case pin.Bits < p.Bits:
		return fmt.Sprintf("  %s: [0, %s]  # guess: zeros above %d bits\n", name, pin.Name, pin.Bits)
	case f.inverted[p.Name]:
		return fmt.Sprintf("  %s: ~%s  # guess\n", name, pin.Name)
	}
	return fmt.Sprintf("  %s: %s  # guess\n", name, pin.Name)
}

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
		pin := f.pins[p.Name]
		if pin != nil {
			used[pin.Name] = true
		}
		if pin == nil && !p.Input || slices.Contains(g.dropped, p.Name) {
			absent = append(absent, name)
		}
		b.WriteString(g.pinText(f, &p, name))
	}
	g.writeConditions(b, f)
	if absent != nil {
		fmt.Fprintf(b, "absent: [%s]  # guess: no pin fits these outputs\n", strings.Join(absent, ", "))
	}
	var ties []string
	for _, p := range g.Ports {
		special := g.clock != nil && p.Name == g.clock.Name || g.reset != nil && p.Name == g.reset.Name
		if p.Input && !used[p.Name] && !special {
			ties = append(ties, fmt.Sprintf("%s: %d", p.Name, tied(&p, g.opposite)))
		}
	}
	if ties != nil {
		fmt.Fprintf(b, "ties: {%s}  # guess: the model lacks these inputs\n", strings.Join(ties, ", "))
	}
}
