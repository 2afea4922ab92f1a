package ej

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"starloom/fabric/ej/eisenstein"
	"starloom/fabric/studies"
)

const (
	alphaMost = 12 // largest b of every alpha
	// maximum number of nodes of runs in two dimensions, and of all-to-all
	planeNodesMax                   = 20_000
	everyNodesQuick, everyNodesFull = 1_500, 7_000
)

// alphas returns the networks to run: 0 <= a <= b <= 12, without degenerate networks.
func alphas(dims int) (nets []net) {
	for b := 1; b <= alphaMost; b++ {
		for a := range b + 1 {
			x := net{a, b, dims}
			if x.field().Size() > directions && (dims == 1 || x.nodes() <= planeNodesMax) {
				nets = append(nets, x)
			}
		}
	}
	return nets
}

func (s *broadcastRuns) everyAlpha(name string) error {
	all := fmt.Sprintf("all alphas with 0 <= a <= b <= %d, without N = 1, 3 and 4, which are not networks", alphaMost)
	terms, figures := 0, 0
	for _, row := range records("general_alpha") {
		x := net{int(studies.Figure(row[0])), int(studies.Figure(row[1])), 1}
		f := x.field()
		figures += studies.Differing([][]string{row[2:]}, [][]string{arithmetic(f)})
		for weight, nodes := range f.Histogram() {
			if eisenstein.HistogramFormula(x.a, x.b, weight) != nodes {
				terms++
			}
		}
		if f.Size() <= directions {
			s.compare(name, fmt.Sprintf("diameter, N = %d", f.Size()), studies.Figure(row[3]), float64(f.Diameter()), 0,
				"a node has fewer than six distinct neighbours: computed, not run")
		}
	}
	s.none(name, "differing figures", figures, 0, "size, diameter, distances, staircases, leaves, oriented diameter: "+all)
	s.none(name, "differing terms of the distance distribution", terms, 0,
		"the case s = (a+b)/2 comes before s = (a+2b)/3, with which it coincides for a = b; "+all)
	if err := s.everyOriented(name); err != nil {
		return err
	}
	for dims := 1; dims <= 2; dims++ {
		nets := alphas(dims)
		broken, steps := 0, 0
		for _, x := range nets {
			b, err := s.run(x.network(), generalProgram, nil, fromOne(), false)
			if err != nil {
				return err
			}
			if !b.passed || b.missing+b.duplicates > 0 {
				broken++
			}
			if b.steps != dims*x.field().Diameter() {
				steps++
			}
		}
		note := fmt.Sprintf("ej/general, n = %d, to %d nodes: each node once, in the step of its distance, no link both ways",
			dims, nets[len(nets)-1].nodes())
		s.none(name, fmt.Sprintf("broken broadcasts, n = %d", dims), broken, len(nets), note)
		s.none(name, fmt.Sprintf("broadcasts not of n*M steps, n = %d", dims), steps, len(nets), note)
	}
	return nil
}

// everyOriented checks the claim of C2: on networks of at most 25,000 nodes by the path of one message, and on
// one-dimensional networks also by runs.
func (s *broadcastRuns) everyOriented(name string) error {
	const nodesMax = 25_000
	followed, broken := 0, 0
	for _, x := range alphas(1) {
		for x.n = 1; x.n <= 2 && x.nodes() <= nodesMax; x.n++ {
			f := eisenstein.NewMessage(x.torus(), eisenstein.Oriented, 0)
			followed++
			broken += truth(f.Missing()+f.Again() > 0 || f.AllBothWays || f.Steps != x.n*x.field().Directed())
		}
	}
	s.none(name, "broken all-to-all broadcasts, C2, n = 1 and 2", broken, 0,
		fmt.Sprintf("one message, translated: %d networks to %d nodes, each message once, in n*D steps, no link both ways",
			followed, nodesMax))
	nets := alphas(1)
	broken = 0
	for _, x := range nets {
		b, err := s.run(x.network(), allToAllC2Program, nil, fromAll(), false)
		if err != nil {
			return err
		}
		broken += truth(!b.passed || b.missing+b.duplicates > 0 || b.steps != x.field().Directed())
	}
	s.none(name, "broken all-to-all broadcasts, C2, n = 1", broken, len(nets), "runs of all alphas")
	return nil
}

func arithmetic(f *eisenstein.Field) []string {
	spaced := func(values []int) string { return strings.Trim(fmt.Sprint(values), "[]") }
	var sectors []string
	for _, extents := range f.Sectors() {
		sectors = append(sectors, spaced(extents))
	}
	return []string{fmt.Sprint(f.Size()), fmt.Sprint(f.Diameter()), spaced(f.Histogram()),
		strings.Join(sectors, "|"), fmt.Sprint(f.Leaves()),
		fmt.Sprint(f.Directed())}
}

var misprints = []struct {
	net
	missing int
}{{net{1, 2, 1}, 0}, {net{2, 3, 1}, 1}, {net{3, 4, 1}, 2}, {net{4, 5, 1}, 4}, {net{2, 3, 2}, 37}, {net{3, 4, 2}, 144}}

func (s *broadcastRuns) misprint(name string) error {
	for _, m := range misprints {
		b, err := s.run(m.network(), misprintedProgram, nil, fromOne(), false)
		if err != nil {
			return err
		}
		if m.missing == 0 {
			s.none(name, "nodes missed, "+m.String(), b.missing+b.duplicates, 1, "M = 1: no sector has a second hop")
			continue
		}
		row := studies.Referred(name, "nodes missed, "+m.String(), float64(m.missing), float64(b.missing), 1, 0,
			fmt.Sprintf("the major direction must be the direction of the link; read literally, %d of %d nodes do not get "+
				"the message, "+
				"and as many packets come again",
				m.missing, m.nodes()))
		row.OK = row.OK && b.duplicates == m.missing && !b.passed
		s.Add(row.Contradicting(nil, studies.Quotation{
			Words: "Send via -rho packet SECTOR(-rho^2, -1, dimension, M-1, M-1, step+1)",
			Place: "Section 4.1, Algorithm 1, line 6",
		}))
	}
	return nil
}

func (s *broadcastRuns) counters(name string) error {
	nets := alphas(1)
	missing, again, turned := 0, 0, 0
	for _, x := range nets {
		f := eisenstein.NewMessage(x.torus(), eisenstein.Improved, 0)
		M := x.field().Diameter()
		missing += f.Missing()
		if f.Again() != 3*M*M+3*M+1-x.nodes() {
			again++
		}
		if f.BothWays {
			turned++
		}
	}
	note := fmt.Sprintf("Algorithms 1 and 2 with the diameter M on %d alphas, one message followed", len(nets))
	s.none(name, "nodes missed", missing, 0, note)
	s.none(name, "alphas without 3M^2+3M+1-N packets too many", again, 0, note)
	s.compare(name, "alphas with a link used both ways in a step", 30, float64(turned), 0, note+
		`; "with little modifications" (Section 4) they hold for every alpha: ej/general (case every alpha)`)
	return nil
}

type everyToAll struct {
	name      string
	program   string
	algorithm eisenstein.Algorithm

	steps, missing, again, most int // columns; again is -1 for a table without this column
}

var everyToAlls = []everyToAll{
	{"published", allToAllProgram, eisenstein.Phased, 6, 5, -1, 7},
	{"C1", allToAllC1Program, eisenstein.Repaired, 8, 9, 10, 11},
	{"C2", allToAllC2Program, eisenstein.Oriented, 12, 13, 14, 15},
}

// everyBroadcast is a result of all-to-all: missing and repeated messages of a node, number of steps, maximum number
// of packets on a link.
type everyBroadcast struct{ missing, again, steps, most int }

func (e everyToAll) reference(row []string) (x everyBroadcast) {
	for column, value := range map[int]*int{e.steps: &x.steps, e.missing: &x.missing, e.again: &x.again, e.most: &x.most} {
		if column >= 0 {
			*value = int(studies.Figure(row[column]))
		}
	}
	return x
}

var restarts = []struct {
	net
	copies int // copies, 0 if not known beforehand
}{{net{1, 2, 1}, 0}, {net{2, 3, 1}, 0}, {net{3, 4, 1}, 14}, {net{1, 2, 2}, 0}, {net{2, 3, 2}, 36},
	{net{3, 4, 2}, 164}, {net{2, 3, 3}, 207}}

const restartNodesMax = 400

func (s *broadcastRuns) allToAllRuns() (runs int) {
	for _, row := range records("all_to_all") {
		if int(studies.Figure(row[3])) <= s.size(everyNodesQuick, everyNodesFull) {
			runs += len(everyToAlls)
		}
	}
	for _, r := range restarts {
		if r.nodes() <= restartNodesMax {
			runs++
		}
	}
	return runs
}

func (s *broadcastRuns) allToAll(name string) error {
	rows := records("all_to_all")
	differing, turned := 0, 0
	for _, row := range rows {
		x := net{int(studies.Figure(row[0])), int(studies.Figure(row[1])), int(studies.Figure(row[2]))}
		for _, e := range everyToAlls {
			f := eisenstein.NewMessage(x.torus(), e.algorithm, 0)
			one := everyBroadcast{f.Missing(), f.Again(), f.Steps, f.Most()}
			if one != e.reference(row) {
				differing++
			}
			turned += truth(f.AllBothWays)
			if err := s.everyToAll(name, x, e, e.reference(row), one); err != nil {
				return err
			}
		}
	}
	note := fmt.Sprintf("one message, translated to all sources: %d networks, published, C1 and C2", len(rows))
	s.none(name, "broadcasts with other figures than the reference's", differing, 0, note)
	s.none(name, "broadcasts with a link used both ways in a step", turned, 0, note)
	for _, r := range restarts {
		if err := s.restarted(name, r.net, r.copies); err != nil {
			return err
		}
	}
	return nil
}

func (s *broadcastRuns) everyToAll(name string, x net, e everyToAll, reference, measured everyBroadcast) error {
	nodes, runs, how := x.nodes(), 0, "one message, translated"
	if nodes <= s.size(everyNodesQuick, everyNodesFull) {
		b, err := s.run(x.network(), e.program, nil, fromAll(), false)
		if err != nil {
			return err
		}
		runs, how, measured = 1, "a run", everyBroadcast{b.missing / nodes, b.duplicates, b.steps, slices.Max(b.packets)}
	}
	of := fmt.Sprintf(", %s, %s", e.name, x)
	s.compare(name, "steps"+of, float64(reference.steps), float64(measured.steps), runs, how)
	s.compare(name, "most packets on a link"+of, float64(reference.most), float64(measured.most), runs, how)
	if reference.missing == 0 {
		s.none(name, "messages missing or again"+of, measured.missing+measured.again, runs, how)
		return nil
	}
	s.none(name, "messages again"+of, measured.again, runs, how)
	s.Add(studies.Referred(name, "messages that a node receives"+of, float64(nodes-1-reference.missing),
		float64(nodes-1-measured.missing), runs, 0,
		fmt.Sprintf("%.1f %% are missing if each phase begins with a node's own message, as in Section 4.2:"+
			" no node serves nodes whose coordinates belong to sectors of different phases; Algorithm 4, read literally, "+
			"delivers all"+
			" many times (see the rows \"by the letter\"); %s", 100*float64(measured.missing)/float64(nodes-1), how)).
		Contradicting(studies.Printed(float64(nodes-1)), studies.Quotation{
			Words: "every node in the network has received N(alpha)^n-1 distinct messages", Place: "Section 4.2",
		}))
	return nil
}

func truth(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

func (s *broadcastRuns) restarted(name string, x net, copies int) error {
	f, nodes := eisenstein.NewMessage(x.torus(), eisenstein.Restarted, 0), x.nodes()
	s.none(name, "nodes missed by the letter, "+x.String(), f.Missing(), 0,
		"every packet that arrives in the last step of a phase begins the next one: one message, translated")
	if copies > 0 {
		s.Add(studies.Referred(name, "copies of a message by the letter, "+x.String(), float64(copies),
			float64(f.Packets)/float64(nodes), 0, 0.5,
			"mean over all nodes: one message, translated"))
	}
	if nodes > restartNodesMax {
		return nil
	}
	b, err := s.run(x.network(), allToAllProgram, map[string]int64{"reading": readingB}, fromAll(), false)
	if err != nil {
		return err
	}
	s.compare(name, "messages that come again, "+x.String(), float64(f.Again()*nodes), float64(b.duplicates), 1,
		"a run against one message, translated")
	s.none(name, "messages missing, "+x.String(), b.missing, 1, "a run")
	return nil
}

// onePackets lists the steps of C2 with one packet per link and step, for a fixed and for a rotated order of
// dimensions. In one dimension the number of steps equals the bound, unless 3 divides b-a.
var onePackets = []struct {
	net
	fixed, rotated int
}{
	{net{1, 2, 1}, 2, 2}, {net{2, 3, 1}, 6, 6}, {net{3, 4, 1}, 12, 12}, {net{0, 3, 1}, 4, 4},
	{net{2, 2, 1}, 6, 6}, {net{1, 2, 2}, 14, 10}, {net{2, 3, 2}, 114, 62},
}

func (s *broadcastRuns) onePacket(name string) error {
	for _, p := range onePackets {
		network := p.network()
		network.PacketsPerLink = 1
		bound := fmt.Sprintf("%s: %d messages arrive over the 3n = %d links into a node, which takes at least %d "+
			"steps", p.net,
			p.nodes()-1, 3*p.n, (p.nodes()-2)/(3*p.n)+1)
		for rotate, steps := range []int{p.fixed, p.rotated} {
			b, err := s.mustPass(network, allToAllC2Program, map[string]int64{"rotate": int64(rotate)}, fromAll(), false)
			if err != nil {
				return err
			}
			s.compare(name, fmt.Sprintf("steps, %s, rotate %d", p.net, rotate), float64(steps), float64(b.steps), 1, bound)
		}
	}
	return nil
}

// savings lists networks with fewer senders than in the previous algorithm, and a one-dimensional network with
// equally many senders. alike marks networks of Section 6.
var savings = []struct {
	net
	alike bool
}{{net{1, 2, 4}, false}, {net{3, 4, 1}, true}, {net{3, 4, 3}, true}, {net{6, 7, 2}, false}}

// saved senders as claimed in the paper: for its networks, and for all one-dimensional networks
var (
	savesAnywhere = studies.Quotation{
		Words: "the proposed algorithm achieves 2.7% less in total number of senders than the previous algorithm",
		Place: "Section 7",
	}
	savesDimensions = studies.Quotation{Words: "the proposed one-to-all shows an improvements of approximately 2.7% " +
		"for all dimensions", Place: "Section 6"}
)

// claims compares claims of the paper with results that contradict them. A row passes if the corrected claim is true.
func (s *broadcastRuns) claims(name string) error {
	for _, x := range savings {
		var senders [2]int64
		for k, o := range oneToAlls {
			b, err := s.oneToAll(x.net, o)
			if err != nil {
				return err
			}
			senders[k] = int64(b.senders())
			if x.net == table1Net && o == previous {
				s.rounds(name, b)
			}
		}
		// previous/proposed = (N^n-1)/((N-1)*N^(n-1))
		N, nodes := int64(x.field().Size()), int64(x.nodes())
		exact := big.NewRat(nodes-1, (N-1)*(nodes/N))
		saved := 100 * (1 - float64(senders[1])/float64(senders[0]))
		what, note := "senders saved, %, "+x.String(),
			fmt.Sprintf("1-(N-1)N^(n-1)/(N^n-1), in the limit 1/N = %.2f %%", 100/float64(N))
		claim := savesAnywhere
		if x.alike {
			claim = savesDimensions
		}
		row := studies.Published(name, what, 2.7, saved, 2, 0.05, note+" ("+claim.Place+")")
		if !row.OK {
			whole, _ := new(big.Rat).Inv(exact).Float64()
			if x.n == 1 {
				note += "; Table 3 has the ratio 1"
			}
			row = studies.Referred(name, what, 100*(1-whole), saved, 2, 0, note).Contradicting(studies.Printed(2.7), claim)
		}
		row.OK = row.OK && exact.Cmp(big.NewRat(senders[0], senders[1])) == 0
		s.Add(row)
	}
	return nil
}

func (s *broadcastRuns) rounds(name string, b *broadcast) {
	M, N := 3, 37
	for round := range table1Net.n {
		step := b.course[round*M]
		centres := uint64(1)
		for range round {
			centres *= uint64(N)
		}
		s.Add(studies.Referred(name, fmt.Sprintf("senders, step 1 of round %d", round+1), float64(centres),
			float64(step.Senders), b.runs, 0,
			"0 at d = 1; all N^r centres of the round send, r from 0").
			Contradicting(studies.Printed(0),
				studies.Quotation{Words: "numS = 6(d-1)N(alpha)^(r-1)", Place: "Section 5, formula 13"}))
		if round > 0 {
			before := b.course[round*M-1].Receivers
			s.Add(studies.Referred(name, fmt.Sprintf("senders, step %d", round*M+1), float64(centres),
				float64(step.Senders), b.runs, 0,
				"not at the beginning of a round: then all nodes with the message send").
				Contradicting(studies.Printed(float64(before)), studies.Quotation{
					Words: "the number of sender nodes in each step is equal to the number of receiver nodes of the previous step",
					Place: "Section 5",
				}))
		}
	}
	s.Add(studies.Referred(name, "receivers, step 1 of round 1", 6, float64(b.course[0].Receivers), b.runs, 0,
		"with r from 0 it is 6dN^r").
		Contradicting(studies.Printed(6./float64(N)), studies.Quotation{
			Words: "numR = 6dN(alpha)^(r-1) where r is the round number such that 0 <= r < n", Place: "Section 5, formula 12",
		}))
}
