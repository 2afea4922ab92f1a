package prove

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A graph is an and-inverter graph with latches that start at 0, as in AIGER files. A literal is 2*variable, plus 1
// if inverted; variable 0 is the constant 0. The variables are the inputs, then latches, then gates.
type graph struct {
	inputs  int
	next    []uint32    // next states of the latches
	gates   [][2]uint32 // literals of both inputs
	outputs []uint32
}

func (g *graph) firstLatch() uint32 { return uint32(1 + g.inputs) }
func (g *graph) firstGate() uint32  { return uint32(1 + g.inputs + len(g.next)) }
func (g *graph) variables() int     { return 1 + g.inputs + len(g.next) + len(g.gates) }

// readAIGER reads the binary format up to the gates. Bad states are appended to the outputs.
func readAIGER(data []byte) (*graph, error) {
	r := bufio.NewReader(bytes.NewReader(data))
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("no AIGER: %w", err)
	}
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[0] != "aig" {
		return nil, fmt.Errorf("no AIGER: it begins with %q", strings.TrimSpace(line))
	}
	counts := make([]int, 9) // M I L O A B C J F
	for i, f := range fields[1:min(len(fields), 10)] {
		if counts[i], err = strconv.Atoi(f); err != nil || counts[i] < 0 {
			return nil, fmt.Errorf("no AIGER: %q is not a count", f)
		}
	}
	if counts[6] != 0 || counts[7] != 0 || counts[8] != 0 || counts[0] != counts[1]+counts[2]+counts[4] {
		return nil, fmt.Errorf("an AIGER file with constraints or liveness: %s", strings.TrimSpace(line))
	}
	g := &graph{inputs: counts[1]}
	number := func() (uint32, error) {
		text, err := r.ReadString('\n')
		if err != nil {
			return 0, err
		}
		first, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		if rest != "" && rest != "0" {
			return 0, fmt.Errorf("a latch begins with %s", rest)
		}
		n, err := strconv.ParseUint(first, 10, 32)
		if int(n) >= 2*(counts[0]+1) {
			return 0, fmt.Errorf("literal %d of %d variables", n, counts[0])
		}
		return uint32(n), err
	}
	for range counts[2] {
		n, err := number()
		if err != nil {
			return nil, err
		}
		g.next = append(g.next, n)
	}
	for range counts[3] + counts[5] {
		n, err := number()
		if err != nil {
			return nil, err
		}
		g.outputs = append(g.outputs, n)
	}
	for i := range counts[4] {
		to := 2 * (g.firstGate() + uint32(i))
		a, err := readDelta(r)
		if err != nil {
			return nil, err
		}
		b, err := readDelta(r)
		if err != nil || a > to || b > to-a {
			return nil, fmt.Errorf("gate %d is damaged: %v", i, err)
		}
		g.gates = append(g.gates, [2]uint32{to - a, to - a - b})
	}
	return g, nil
}

func readDelta(r io.ByteReader) (n uint32, err error) {
	for shift := 0; shift < 35; shift += 7 {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= uint32(b&0x7f) << shift
		if b&0x80 == 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("a number is too long")
}

func (g *graph) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "aig %d %d %d %d %d\n", g.variables()-1, g.inputs, len(g.next), len(g.outputs), len(g.gates))
	for _, n := range g.next {
		fmt.Fprintln(b, n)
	}
	for _, n := range g.outputs {
		fmt.Fprintln(b, n)
	}
	for i, in := range g.gates {
		to := 2 * (g.firstGate() + uint32(i))
		high, low := max(in[0], in[1]), min(in[0], in[1])
		writeDelta(b, to-high)
		writeDelta(b, high-low)
	}
	return b.Flush()
}

func writeDelta(b *bufio.Writer, n uint32) {
	for ; n >= 0x80; n >>= 7 {
		_ = b.WriteByte(byte(n) | 0x80) // Flush returns the error
	}
	_ = b.WriteByte(byte(n))
}

// A cone is the part of a graph that affects some outputs.
type cone struct {
	graph
	inputOf []int // by input: number of the input in the whole graph
}

// reached reports, by variable, whether outputs depend on the variable over any number of cycles.
func (g *graph) reached(outputs []int) []bool {
	used := make([]bool, g.variables())
	var stack []uint32
	visit := func(literal uint32) {
		if v := literal / 2; !used[v] {
			used[v] = true
			stack = append(stack, v)
		}
	}
	for _, o := range outputs {
		visit(g.outputs[o])
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case v >= g.firstGate():
			in := g.gates[v-g.firstGate()]
			visit(in[0])
			visit(in[1])
		case v >= g.firstLatch():
			visit(g.next[v-g.firstLatch()])
		}
	}
	return used
}

// coneOf returns the cone of some outputs. If joined is set, the cone has a single output: the OR of these outputs.
func (g *graph) coneOf(outputs []int, joined bool) *cone {
	used := g.reached(outputs)
	c, number := &cone{}, make([]uint32, g.variables())
	at := uint32(1)
	for v := uint32(1); v < uint32(g.variables()); v++ {
		if !used[v] {
			continue
		}
		number[v] = at
		at++
		if v < g.firstLatch() {
			c.inputOf = append(c.inputOf, int(v)-1)
		}
	}
	to := func(literal uint32) uint32 { return 2*number[literal/2] + literal&1 }
	c.inputs = len(c.inputOf)
	for i, n := range g.next {
		if used[g.firstLatch()+uint32(i)] {
			c.next = append(c.next, to(n))
		}
	}
	for i, in := range g.gates {
		if used[g.firstGate()+uint32(i)] {
			c.gates = append(c.gates, [2]uint32{to(in[0]), to(in[1])})
		}
	}
	for _, o := range outputs {
		c.outputs = append(c.outputs, to(g.outputs[o]))
	}
	if joined {
		c.outputs = []uint32{c.or(c.outputs)}
	}
	return c
}

// merge removes constant, duplicate and unused gates. In Yosys, this step would take as long as all other steps
// together.
func (g *graph) merge() {
	old, first := g.gates, g.firstGate()
	used := make([]bool, len(old))
	use := func(literal uint32) {
		if v := literal / 2; v >= first {
			used[v-first] = true
		}
	}
	for _, list := range [][]uint32{g.next, g.outputs} {
		for _, literal := range list {
			use(literal)
		}
	}
	for i := len(old) - 1; i >= 0; i-- {
		if used[i] {
			use(old[i][0])
			use(old[i][1])
		}
	}
	become := make([]uint32, len(old))
	to := func(literal uint32) uint32 {
		if v := literal / 2; v >= first {
			return become[v-first] ^ literal&1
		}
		return literal
	}
	known := make(map[[2]uint32]uint32, len(old))
	g.gates = make([][2]uint32, 0, len(old))
	for i, in := range old {
		if !used[i] {
			continue
		}
		a, b := to(in[0]), to(in[1])
		key := [2]uint32{max(a, b), min(a, b)}
		literal, ok := known[key]
		if !ok {
			literal = g.and(key[0], key[1])
			known[key] = literal
		}
		become[i] = literal
	}
	for _, list := range [][]uint32{g.next, g.outputs} {
		for i, literal := range list {
			list[i] = to(literal)
		}
	}
}

func (g *graph) and(a, b uint32) uint32 {
	switch {
	case a == 0 || b == 0 || a == b^1:
		return 0
	case a == 1 || a == b:
		return b
	case b == 1:
		return a
	}
	g.gates = append(g.gates, [2]uint32{a, b})
	return 2 * uint32(g.variables()-1)
}

func (g *graph) or(literals []uint32) uint32 {
	if len(literals) == 0 {
		return 0
	}
	for len(literals) > 1 {
		var joined []uint32
		for i := 0; i+1 < len(literals); i += 2 {
			joined = append(joined, g.and(literals[i]^1, literals[i+1]^1)^1)
		}
		if len(literals)%2 == 1 {
			joined = append(joined, literals[len(literals)-1])
		}
		literals = joined
	}
	return literals[0]
}

// A simulation runs a graph on 64 input sequences at once.
type simulation struct {
	*graph
	values []uint64 // by variable
	latch  []uint64
}

func (g *graph) simulation() *simulation {
	return &simulation{graph: g, values: make([]uint64, g.variables()), latch: make([]uint64, len(g.next))}
}

func (s *simulation) of(literal uint32) uint64 { return s.values[literal/2] ^ -uint64(literal&1) }

func (s *simulation) settle(inputs []uint64) {
	copy(s.values[1:], inputs[:s.inputs])
	copy(s.values[s.firstLatch():], s.latch)
	at := s.firstGate()
	for i, in := range s.gates {
		s.values[at+uint32(i)] = s.of(in[0]) & s.of(in[1])
	}
}

func (s *simulation) edge() {
	for i, n := range s.next {
		s.latch[i] = s.of(n)
	}
}

// settled returns the graph with some inputs fixed at 0. A counterexample of the result is valid for the whole graph;
// a proof is not.
func (g *graph) settled(inputs []int) *graph {
	s, to := &graph{inputs: g.inputs, next: make([]uint32, len(g.next))}, make([]uint32, g.variables())
	for v := uint32(1); v < g.firstGate(); v++ {
		to[v] = 2 * v
	}
	for _, i := range inputs {
		to[1+i] = 0
	}
	of := func(literal uint32) uint32 { return to[literal/2] ^ literal&1 }
	for i, in := range g.gates {
		to[g.firstGate()+uint32(i)] = s.and(of(in[0]), of(in[1]))
	}
	for i, n := range g.next {
		s.next[i] = of(n)
	}
	for _, o := range g.outputs {
		s.outputs = append(s.outputs, of(o))
	}
	return s
}
