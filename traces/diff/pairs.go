package diff

import (
	"fmt"
	"slices"
	"strings"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

// pair is a net of A and a net of B, or parts of both, aligned at their most significant bits.
type pair struct {
	a, b       vcd.NetID
	aLow, bLow uint32
	bits       uint32 // number of bits; 0 for reals, texts and events
	kind       vcd.Kind
	whole      bool // both nets whole, each of at most 64 bits
	nameA      string
	nameB      string
	order      int // index of the variable in A's declarations
}

type pairing struct {
	a, b         *vcd.Reader
	only, ignore vcd.Patterns
	exact        map[string]NameRule
	rules        []compiledRule

	indexB map[string]int // variables of B by path
	again  [2]repeats     // repeats of A and B
	seen   map[pair]bool  // pairs by nets and bits only
	pairs  []pair
	declared

	pairedA, pairedB []bool // paired nets
	onlyA, onlyB     []string
	stripA, stripB   string // outer scopes ignored in names

	skipped              map[pair]bool // skipped pairs by nets and bits: true for --ignore, false for --only
	restOnly, restIgnore int           // number of skipped signals that only one file declares
}

type declared struct {
	shapes []Mismatch
	ranges []string                // signals with another range in B
	bits   [2]map[vcd.NetID][]bool // compared bits of the nets of A and B; nil for all bits
}

type compiledRule struct {
	NameRule
	pattern *vcd.Pattern
}

func newPairing(a, b *vcd.Reader, o *Options) (*pairing, error) {
	p := &pairing{
		a: a, b: b, exact: map[string]NameRule{}, indexB: b.Header().Index(), seen: map[pair]bool{}, skipped: map[pair]bool{},
		pairedA: make([]bool, a.Nets()), pairedB: make([]bool, b.Nets()),
		declared: declared{bits: [2]map[vcd.NetID][]bool{{}, {}}},
	}
	p.again = [2]repeats{findRepeats(a.Header(), a.Header().Index()), findRepeats(b.Header(), p.indexB)}
	var err error
	if p.only, err = vcd.CompilePatterns(o.Only, "--only"); err != nil {
		return nil, err
	}
	if p.ignore, err = vcd.CompilePatterns(o.Ignore, "--ignore"); err != nil {
		return nil, err
	}
	for _, rule := range o.Rules {
		pattern, err := vcd.CompilePattern(rule.From)
		if err == nil {
			err = pattern.CheckTemplate(rule.To)
		}
		if err != nil {
			return nil, input.Mistake(rule.Place, err.Error(), "correct the names")
		}
		if vcd.IsPattern(rule.From) {
			p.rules = append(p.rules, compiledRule{rule, pattern})
		} else {
			p.exact[rule.From] = rule
		}
	}
	return p, nil
}

func (p *pairing) selected(names ...string) bool {
	return (len(p.only) == 0 || slices.ContainsFunc(names, p.only.Match)) && !slices.ContainsFunc(names, p.ignore.Match)
}

func (p *pairing) find(o *Options) error {
	if err := p.findExact(o); err != nil {
		return err
	}
	p.findStrip()
	for i := range p.a.Header().Vars {
		p.findVariable(&p.a.Header().Vars[i], i)
	}
	p.findRest()
	slices.SortStableFunc(p.pairs, func(x, y pair) int { return x.order - y.order })
	switch {
	case len(p.pairs) > 0 || len(p.shapes) > 0:
	case slices.Contains(p.pairedA, true):
		return input.Mistake(p.a.Name()+" and "+p.b.Name(), "all common signals are left out",
			"give other patterns to --only and --ignore")
	case len(p.a.Header().Vars) == 0 || len(p.b.Header().Vars) == 0:
		empty := p.a
		if len(p.a.Header().Vars) > 0 {
			empty = p.b
		}
		return input.Mistake(empty.Name(), "it declares no signals", "dump the signals of some scope")
	default:
		return input.Mistake(p.a.Name()+" and "+p.b.Name(),
			fmt.Sprintf("the files have no signal in common%s", p.examples()),
			"give a --map with signals: {NAME_IN_A: NAME_IN_B}")
	}
	return nil
}

func (p *pairing) mapClock(o *Options) {
	clock := p.a.Header().Find(o.A.Clock)
	if _, there := p.indexB[o.B.Clock]; there || o.B.Clock != o.A.Clock || clock < 0 {
		return
	}
	net := p.a.Header().Vars[clock].Net
	if i := slices.IndexFunc(p.pairs, func(x pair) bool { return x.a == net && x.whole }); i >= 0 {
		o.B.Clock = p.pairs[i].nameB
	}
}

func (p *pairing) examples() string {
	if len(p.onlyA) == 0 || len(p.onlyB) == 0 {
		return ""
	}
	return fmt.Sprintf(": names have forms such as %s and %s", p.onlyA[0], p.onlyB[0])
}

func (p *pairing) findExact(o *Options) error {
	for _, rule := range o.Rules {
		if vcd.IsPattern(rule.From) {
			continue
		}
		a, i, ok := p.a.Header().Resolve(nil, rule.From)
		if !ok {
			return input.Mistake(rule.Place, fmt.Sprintf("%s has no signal %s", p.a.Name(), rule.From), p.a.NamesRemedy())
		}
		b, _, ok := p.b.Header().Resolve(p.indexB, rule.To)
		if !ok {
			return input.Mistake(rule.Place, fmt.Sprintf("%s has no signal %s", p.b.Name(), rule.To), p.b.NamesRemedy())
		}
		p.add(a, b, i)
	}
	return nil
}

// findVariable pairs a variable of A. It tries the first matching rule; without a rule, the variable's path; then the
// path without outer scopes.
func (p *pairing) findVariable(v *vcd.Var, order int) {
	if _, ok := p.exact[v.Path]; ok {
		return
	}
	for _, rule := range p.rules {
		if parts := rule.pattern.Match(v.Path); parts != nil {
			p.match(v, order, vcd.Expand(rule.To, parts))
			return
		}
	}
	if p.match(v, order, v.Path) {
		return
	}
	if name, ok := p.renamed(v.Path); ok {
		p.match(v, order, name)
	}
}

func (p *pairing) renamed(path string) (string, bool) {
	rest, ok := cutScope(path, p.stripA)
	return vcd.JoinPath(p.stripB, rest), ok
}

func cutScope(path, scope string) (string, bool) {
	if scope == "" {
		return path, true
	}
	rest, ok := strings.CutPrefix(path, scope)
	if !ok {
		return "", false
	}
	return strings.CutPrefix(rest, ".")
}

// repeats are further nets with an already declared path. The second net of a path in A is compared with the second
// net of that path in B.
type repeats struct {
	nth  map[repeat]int   // 1 for the second net of a path
	vars map[string][]int // variables of these nets by path
}

type repeat struct {
	path string
	net  vcd.NetID
}

func findRepeats(h *vcd.Header, index map[string]int) repeats {
	r := repeats{map[repeat]int{}, map[string][]int{}}
	for i, v := range h.Vars {
		key := repeat{v.Path, v.Net}
		if v.Net != h.Vars[index[v.Path]].Net && r.nth[key] == 0 {
			r.vars[v.Path] = append(r.vars[v.Path], i)
			r.nth[key] = len(r.vars[v.Path])
		}
	}
	return r
}

// match pairs a variable of A with name in B, whole or bit by bit. It returns false if B does not declare the name.
func (p *pairing) match(v *vcd.Var, order int, name string) bool {
	varsB := p.b.Header().Vars
	if b, _, ok := p.b.Header().Resolve(p.indexB, name); ok {
		if nth := p.again[0].nth[repeat{v.Path, v.Net}]; nth > 0 {
			again := p.again[1].vars[name]
			if nth > len(again) {
				return true // missing in B
			}
			b = varsB[again[nth-1]].Whole()
		}
		p.add(v.Whole(), b, order)
		return true
	}
	msb, lsb := v.Indices()
	if v.Kind != vcd.KindBits || msb == lsb {
		return false
	}
	// B may declare single bits.
	var bits []vcd.Part
	for i := range v.Bits {
		index := lsb + i
		if msb < lsb {
			index = lsb - i
		}
		j, ok := p.indexB[fmt.Sprintf("%s[%d]", name, index)]
		if !ok || varsB[j].Kind != vcd.KindBits || varsB[j].Bits != 1 {
			return false
		}
		bits = append(bits, varsB[j].Whole())
	}
	for i, b := range bits {
		index := strings.TrimPrefix(b.Name, name)
		p.add(vcd.Part{Name: v.Path + index, Net: v.Net, Kind: vcd.KindBits, Low: uint32(i), Bits: 1}, b, order)
	}
	return true
}

func (p *pairing) add(a, b vcd.Part, order int) {
	p.pairedA[a.Net], p.pairedB[b.Net] = true, true
	p.notice(0, p.a, a)
	p.notice(1, p.b, b)
	key := pair{a: a.Net, b: b.Net, aLow: a.Low, bLow: b.Low, bits: a.Bits}
	if !p.selected(a.Name, b.Name) {
		if _, there := p.skipped[key]; !there {
			p.skipped[key] = slices.ContainsFunc([]string{a.Name, b.Name}, p.ignore.Match)
		}
		return
	}
	if a.Range != b.Range && a.Kind == b.Kind && a.Bits == b.Bits && a.Whole && b.Whole {
		p.ranges = append(p.ranges,
			fmt.Sprintf("%s [%d:%d], in B [%d:%d]", a.Name, a.Range[0], a.Range[1], b.Range[0], b.Range[1]))
	}
	if p.seen[key] {
		return
	}
	p.seen[key] = true
	if a.Kind != b.Kind || a.Bits != b.Bits {
		p.shapes = append(p.shapes, Mismatch{Signal: a.Name, SignalB: b.Name, A: a.Shape(), B: b.Shape()})
		return
	}
	key.kind, key.order, key.nameA, key.nameB = a.Kind, order, a.Name, b.Name
	key.whole = a.Kind == vcd.KindBits && a.Whole && b.Whole && a.Bits <= 64
	p.pairs = append(p.pairs, key)
}

const (
	// stripDepthMax is the maximum number of outer scopes removed in each file.
	stripDepthMax = 4
	stripSample   = 10000
)

// findStrip finds the outer scopes whose removal yields the most matches between names of A and B.
func (p *pairing) findStrip() {
	varsA := p.a.Header().Vars
	best := 0
	for _, scopeA := range scopesAround(varsA) {
		for _, scopeB := range scopesAround(p.b.Header().Vars) {
			count := 0
			for i := range varsA[:min(len(varsA), stripSample)] {
				if rest, ok := cutScope(varsA[i].Path, scopeA); ok && p.inB(vcd.JoinPath(scopeB, rest), &varsA[i]) {
					count++
				}
			}
			if count > best {
				best, p.stripA, p.stripB = count, scopeA, scopeB
			}
		}
	}
}

func (p *pairing) inB(name string, v *vcd.Var) bool {
	_, ok := p.indexB[name]
	if msb, lsb := v.Indices(); !ok && msb != lsb {
		_, ok = p.indexB[fmt.Sprintf("%s[%d]", name, lsb)]
	}
	return ok
}

func scopesAround(vars []vcd.Var) []string {
	scopes := []string{""}
	if len(vars) == 0 {
		return scopes
	}
	path := vars[0].Path
	for len(scopes) <= stripDepthMax {
		start := len(scopes[len(scopes)-1])
		if start > 0 {
			start++
		}
		dot := strings.IndexByte(path[start:], '.')
		if dot < 0 {
			break
		}
		scope := path[:start+dot]
		for i := range vars {
			if _, ok := cutScope(vars[i].Path, scope); !ok {
				return scopes
			}
		}
		scopes = append(scopes, scope)
	}
	return scopes
}

// findRest lists the signals that only one file declares, except further names of compared nets.
func (p *pairing) findRest() {
	rest := func(r *vcd.Reader, paired []bool) (names []string) {
		listed, left := make([]bool, r.Nets()), make([]bool, r.Nets())
		for i := range r.Header().Vars {
			v := &r.Header().Vars[i]
			if !paired[v.Net] && !listed[v.Net] && p.selected(v.Path) {
				listed[v.Net] = true
				names = append(names, v.Path)
			}
			left[v.Net] = left[v.Net] || !paired[v.Net] && !p.selected(v.Path)
		}
		for i := range r.Header().Vars {
			v := &r.Header().Vars[i]
			if left[v.Net] && !listed[v.Net] {
				left[v.Net] = false // counts once for all names
				if p.ignore.Match(v.Path) {
					p.restIgnore++
				} else {
					p.restOnly++
				}
			}
		}
		return names
	}
	p.onlyA, p.onlyB = rest(p.a, p.pairedA), rest(p.b, p.pairedB)
}

// notice records the compared or skipped bits of a file; nil stands for a whole net.
func (p *pairing) notice(file int, r *vcd.Reader, part vcd.Part) {
	bits, there := p.bits[file][part.Net]
	switch _, size := r.Net(part.Net); {
	case part.Whole:
		p.bits[file][part.Net] = nil
	case !there:
		bits = make([]bool, size)
		p.bits[file][part.Net] = bits
	}
	for bit := part.Low; bit < part.Low+part.Bits && bits != nil; bit++ {
		bits[bit] = true
	}
}

func (p *pairing) leftBits() (lines []string) {
	for i, r := range []*vcd.Reader{p.a, p.b} {
		var names []string
		for _, v := range r.Header().Vars {
			bits := p.bits[i][v.Net]
			delete(p.bits[i], v.Net) // counts once for all names
			left := 0
			for _, compared := range bits {
				if !compared {
					left++
				}
			}
			if left > 0 {
				names = append(names, traces.Plural(uint64(left), "bit", "bits")+" of "+v.Path)
			}
		}
		if list := traces.NewNameList(names); list.Count > 0 {
			lines = append(lines, "in "+"AB"[i:i+1]+" alone: "+list.Some())
		}
	}
	return lines
}

func (p *pairing) otherRanges() []string {
	list := traces.NewNameList(p.ranges)
	if list.Count == 0 {
		return nil
	}
	signals := traces.Plural(uint64(list.Count), "signal", "signals")
	return []string{"indices of " + signals + " with another range in B, compared by position: " + list.Some()}
}

// leftOut counts the signals skipped by --only and --ignore, except further names of compared signals.
func (p *pairing) leftOut() (lines []string) {
	only, ignore := p.restOnly, p.restIgnore
	for key, ignored := range p.skipped {
		switch {
		case p.seen[key]:
		case ignored:
			ignore++
		default:
			only++
		}
	}
	if only > 0 {
		lines = append(lines, "left out by --only: "+traces.Plural(uint64(only), "signal", "signals"))
	}
	if ignore > 0 {
		lines = append(lines, "left out by --ignore: "+traces.Plural(uint64(ignore), "signal", "signals"))
	}
	return lines
}

func nets(pairs []pair, side func(*pair) vcd.NetID) []vcd.NetID {
	list := make([]vcd.NetID, len(pairs))
	for i := range pairs {
		list[i] = side(&pairs[i])
	}
	return list
}

// byNet lists the pairs of every net: those of net id are pairs[start[id]:start[id+1]].
type byNet struct {
	start []int32
	pairs []int32
}

func newByNet(count int, pairs []pair, side func(*pair) vcd.NetID) byNet {
	index := byNet{start: make([]int32, count+1), pairs: make([]int32, len(pairs))}
	for i := range pairs {
		index.start[side(&pairs[i])+1]++
	}
	for i := range count {
		index.start[i+1] += index.start[i]
	}
	next := slices.Clone(index.start)
	for i := range pairs {
		id := side(&pairs[i])
		index.pairs[next[id]] = int32(i)
		next[id]++
	}
	return index
}

func (x *byNet) of(id vcd.NetID) []int32 { return x.pairs[x.start[id]:x.start[id+1]] }

func sideA(p *pair) vcd.NetID { return p.a }
func sideB(p *pair) vcd.NetID { return p.b }
