package crossbar

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"starloom/fabric"
	"starloom/fabric/crossbar/gossip"
	"starloom/fabric/studies"
	"starloom/nic"
)

var metricsOrders = []string{gossip.WordIdentity, gossip.WordPipelined, gossip.WordSharedRandom, gossip.WordWorst}

type property struct {
	what, note string
	first      int
	holds      func(N int, runs map[string]*gossiped) bool
}

var properties = []property{
	{"sizes without 2N(N+1) used slots", "Definition 12, for any orders", 1, func(N int, runs map[string]*gossiped) bool {
		for _, g := range runs {
			if sum(g.nu) != gossip.UsedSlots(N) {
				return false
			}
		}
		return true
	}},
	{"sizes with other steps than Proposition 14", "identity", 1, func(N int, runs map[string]*gossiped) bool {
		return runs[gossip.WordIdentity].lambda == gossip.IdentityLength(N)
	}},
	{"sizes with other steps of two messages", "identity: floor((N-1)^2/4), all others have one (Lemma 15)", 1,
		func(N int, runs map[string]*gossiped) bool {
			nu := runs[gossip.WordIdentity].nu
			return count(nu, 4) == gossip.IdentityDoubleColumns(N) && count(nu, 2)+count(nu, 4) == len(nu)
		}},
	{"sizes with other steps than Proposition 18", "pipelined: 3N", 2, func(N int, runs map[string]*gossiped) bool {
		return runs[gossip.WordPipelined].lambda == 3*N
	}},
	{"sizes with epsilon other than 2/3", "pipelined (Proposition 19)", 2, func(N int, runs map[string]*gossiped) bool {
		return gossip.Measure(N+1, runs[gossip.WordPipelined].nu).Epsilon.Cmp(big.NewRat(2, 3)) == 0
	}},
	{"sizes with mu other than 2(N+1)/3", "pipelined (Proposition 20)", 2, func(N int, runs map[string]*gossiped) bool {
		return gossip.Measure(N+1, runs[gossip.WordPipelined].nu).Mu.Cmp(big.NewRat(int64(2*(N+1)), 3)) == 0
	}},
	{"sizes whose used slots are no palindrome", "pipelined", 1, func(N int, runs map[string]*gossiped) bool {
		reversed := slices.Clone(runs[gossip.WordPipelined].nu)
		slices.Reverse(reversed)
		return slices.Equal(reversed, runs[gossip.WordPipelined].nu)
	}},
	{"sizes with other steps than N(N+1)", "worst: one message at a time", 1, func(N int, runs map[string]*gossiped) bool {
		return runs[gossip.WordWorst].lambda == gossip.SerialLength(N)
	}},
}

func sum(values []int) (total int) {
	for _, value := range values {
		total += value
	}
	return total
}

func count(values []int, wanted int) (found int) {
	for _, value := range values {
		if value == wanted {
			found++
		}
	}
	return found
}

func (s *gossipRuns) metrics(name string) error {
	broken := make([]int, len(properties))
	var identity *gossiped
	for N := 1; N <= metricsMax; N++ {
		runs := map[string]*gossiped{}
		for _, word := range metricsOrders {
			orders, err := gossip.Named(word, N, uint64(N))
			if err != nil {
				return err
			}
			if runs[word], err = s.gossip(gossiping{orders: orders}); err != nil {
				return err
			}
		}
		identity = runs[gossip.WordIdentity]
		for i, p := range properties {
			if N >= p.first && !p.holds(N, runs) {
				broken[i]++
			}
		}
	}
	for i, p := range properties {
		runs := metricsMax + 1 - p.first
		s.count(name, p.what, broken[i], runs, fmt.Sprintf("%s; N = %d to %d", p.note, p.first, metricsMax))
	}
	mu, _ := gossip.Measure(metricsMax+1, identity.nu).Mu.Float64()
	s.Add(studies.Published(name, fmt.Sprintf("mu, identity, N = %d", metricsMax), 8./3, mu, 1, 3./metricsMax,
		"8/3 is the limit (Proposition 17), and the value differs from it by less than 3/N"))
	return nil
}

func (s *gossipRuns) sessions(name string) error {
	const shown = 9
	_, records := studies.Figures(published, "gossip/testdata/gossip_sessions.csv")
	broken := 0
	for _, record := range records[:sessionsNMax] {
		N := int(studies.Figure(record[0]))
		for k := 1; k <= 4; k++ {
			g, err := s.gossip(gossiping{orders: gossip.Pipelined(N), sessions: k})
			if err != nil {
				return err
			}
			if float64(g.lambda) != studies.Figure(record[k]) || g.lambda != gossip.PipelinedLength(N, k) {
				broken++
			}
			if N == shown {
				s.Add(studies.Referred(name, fmt.Sprintf("steps, N = %d, %d sessions", N, k),
					studies.Figure(record[k]), float64(g.lambda), 1, 0,
					"pipelined: 3N + 2(N+1)(k-1)"))
			}
		}
	}
	s.count(name, "sizes with other steps", broken, 4*sessionsNMax,
		fmt.Sprintf("pipelined, N = 1 to %d, 1 to 4 sessions", sessionsNMax))
	return nil
}

// caps lists lengths on fabrics with at most cap messages per step; 0 for no limit.
var caps = []struct{ N, cap, identity, pipelined int }{
	{9, 1, 90, 90}, {9, 2, 74, 47}, {9, 3, 74, 36}, {9, 4, 74, 29}, {9, 0, 74, 27},
	{31, 1, 992, 992}, {31, 4, 767, 254}, {31, 8, 767, 138}, {31, 0, 767, 93},
}

func (s *gossipRuns) caps(name string) error {
	for _, c := range caps {
		note := fmt.Sprintf("at most %d messages in a step", c.cap)
		switch c.cap {
		case 0:
			note = "crossbar"
		case 1:
			note = "shared bus: one message in a step, N(N+1) steps with any orders"
		}
		for _, x := range []struct {
			orders gossip.Orders
			word   string
			steps  int
		}{{gossip.Identity(c.N), gossip.WordIdentity, c.identity},
			{gossip.Pipelined(c.N), gossip.WordPipelined, c.pipelined}} {
			g, err := s.gossip(gossiping{orders: x.orders, cap: c.cap})
			if err != nil {
				return err
			}
			s.Add(studies.Referred(name, fmt.Sprintf("steps, N = %d, %s", c.N, x.word), float64(x.steps),
				float64(g.lambda), 1, 0, note))
		}
	}
	return nil
}

// alohas lists mean lengths from a long sample, on a medium without an arbiter, which loses simultaneous messages.
var alohas = []struct {
	word     string
	orders   func(N int) gossip.Orders
	mean, sd float64
}{
	{gossip.WordIdentity, gossip.Identity, 70.99, 6.0},
	{gossip.WordPipelined, gossip.Pipelined, 120.56, 12.4},
}

const (
	alohaN          = 7
	alohaSampleRuns = 1_000_000
)

func (s *gossipRuns) aloha(name string) error {
	for _, a := range alohas {
		sample, err := s.Sample(&studies.Setting{
			Network: Network{Ports: alohaN + 1, Medium: MediumALOHA}, Program: fsaProgram,
			Workload: fabric.Workload{Gossip: &fabric.Gossip{Given: a.orders(alohaN)}},
			Sizes:    nic.Sizes{PayloadBytes: 8, RxFrames: 1, TxFrames: 1},
			SlotsMax: 100 * uint32(gossip.SerialLength(alohaN)),
		}, s.size(alohaQuick, alohaFull), "lambda")
		if err == nil && sample.Failed > 0 {
			err = fmt.Errorf("%s on %s, %s: %d of %d runs failed", fsaProgram, MediumALOHA, a.word, sample.Failed, sample.Runs)
		}
		if err != nil {
			return err
		}
		tolerance, why := sample.Tolerance(a.sd, alohaSampleRuns)
		s.Add(sample.Referred(name, fmt.Sprintf("mean steps, N = %d, %s", alohaN, a.word), a.mean, 1, tolerance,
			fmt.Sprintf("%d without collisions: fewer senders are better here; %s", gossip.SerialLength(alohaN), why)))
	}
	return nil
}

func (s *gossipRuns) optimal(name string) error {
	_, lengths := studies.Figures(published, "gossip/testdata/gossip_lengths.csv")
	bound, free := 0, 0
	for i, record := range lengths {
		if studies.Figure(record[8]) != float64(gossip.LowerBound(i+1)) {
			bound++
		}
		if studies.Figure(record[9]) != float64(gossip.FreeLowerBound(i+1)) {
			free++
		}
	}
	s.count(name, "sizes with another lower bound", bound, 0, fmt.Sprintf("formula, N = 1 to %d", len(lengths)))
	s.count(name, "sizes with another bound without order", free, 0,
		fmt.Sprintf("formula, N = 1 to %d: with only one action in a step, a session takes 2N or 2(N+1) steps", len(lengths)))
	known := map[int]float64{}
	_, records := studies.Figures(published, "gossip/testdata/gossip_optimal_lambda.csv")
	for _, record := range records {
		known[int(studies.Figure(record[0]))] = studies.Figure(record[1])
	}
	for m := 1; m <= s.size(optimalQuick, optimalFull); m++ {
		N := 1<<m - 1
		table := N == 3 || N == 7 || N == 15
		g, err := s.best(N, table)
		if err != nil {
			return err
		}
		s.Add(studies.Referred(name, fmt.Sprintf("steps, N = %d", N), known[N], float64(g.lambda), 1, 0,
			"the lower bound, 3N-m for N = 2^m-1"))
		if table {
			s.count(name, fmt.Sprintf("differing cells, N = %d", N),
				studies.Differing(publishedTable(fmt.Sprintf("optimal_N%d", N)), g.rows()), 1,
				"run-table of the closed form")
		}
	}
	return nil
}

// claims compares claims of the paper with runs that contradict them. A row passes if the corrected claim is true.
func (s *gossipRuns) claims(name string) error {
	pair, err := s.gossip(gossiping{orders: gossip.Pipelined(1)})
	if err != nil {
		return err
	}
	measure := gossip.Measure(2, pair.nu)
	mu, _ := measure.Mu.Float64()
	for _, x := range []struct {
		what                           string
		published, reference, measured float64
		words, place                   string
	}{
		{"steps", 3, 2, float64(pair.lambda), "lambda_N = 3N", "Proposition 18"},
		{"epsilon", 2. / 3, 1, percent(measure.Epsilon) / 100, "for all k > 0: epsilon_k = 2/3", "Proposition 19"},
		{"mu", 4. / 3, 2, mu, "for all k > 0: mu_k = 2/3 (k+1)", "Proposition 20"},
	} {
		s.Add(studies.Referred(name, x.what+", pipelined, N = 1", x.reference, x.measured, 1, 0,
			"two messages between two processors take 2 steps; the statement holds from N = 2 on").
			Contradicting(studies.Printed(x.published), studies.Quotation{Words: x.words, Place: x.place}))
	}

	const m = 8
	N := 1<<m - 1
	best, err := s.best(N, false)
	if err != nil {
		return err
	}
	closed, _ := big.NewRat(int64(2*N), int64(3*N-m)).Float64()
	above := studies.Referred(name, fmt.Sprintf("epsilon by the closed form, N = 2^%d-1", m), closed,
		percent(best.epsilon(N+1))/100, 1, 0,
		"orders of closed form (gossip/optimal) take 3N-m steps for every N = 2^m-1, so that epsilon is 2N/(3N-m) > 2/3 "+
			"for N as large as you like;"+
			" this refutes the conjecture, which a single run cannot do (case optimal runs other N)")
	above.OK = above.OK && gossip.AbovePipelined(best.epsilon(N+1))
	s.Add(above.Contradicting(studies.Printed(2./3), studies.Quotation{
		Words: "epsilon_pb = 2/3 [...] then there exists an integer m such that for all n > m: epsilon_f,n <= epsilon_pb",
		Place: "Conjecture 21",
	}))

	const sessionsN = 4
	var steps [2]int
	for i := range steps {
		g, err := s.gossip(gossiping{orders: gossip.Pipelined(sessionsN), sessions: 3 + i})
		if err != nil {
			return err
		}
		steps[i] = g.lambda
	}
	s.Add(studies.Referred(name, fmt.Sprintf("steps for each whole session, N = %d", sessionsN),
		float64(gossip.SessionPeriod(sessionsN)),
		float64(steps[1]-steps[0]), 1, 0,
		"a session takes 2(N+1) steps; one processor completes every two steps, as stated below Table 6 (case table 6)").
		Contradicting(studies.Printed(2), studies.Quotation{Words: "a full gossiping is completed every two basic " +
			"communication steps", Place: "Section 1"}))
	return nil
}

// search finds orders that attain the lower bound; a run must confirm the length.
func (s *gossipRuns) search(name string) error {
	for N := 2; N <= s.size(searchQuick, searchFull); N++ {
		length := 0
		orders, err := gossip.Search(s.Context(), N, func(found gossip.Orders) (int, error) {
			g, err := s.gossip(gossiping{orders: found})
			if err == nil {
				length = g.lambda
			}
			return length, err
		}, func(p gossip.SearchProgress) {
			s.Tell(fmt.Sprintf("orders of N = %d: attempt %d of %d, %d variables, %d clauses, %.0f s", N, p.Attempt,
				p.Attempts, p.Variables, p.Clauses,
				p.Elapsed.Seconds()))
		})
		bound := gossip.LowerBound(N)
		if errors.Is(err, gossip.ErrNoOrders) {
			s.Add(studies.StudyRow{Case: name, Quantity: fmt.Sprintf("steps, N = %d", N),
				Reference: studies.Printed(float64(bound)), Note: err.Error()})
			continue
		}
		if err != nil {
			return err
		}
		s.Add(studies.Referred(name, fmt.Sprintf("steps, N = %d", N), float64(bound), float64(length), 1, 0,
			fmt.Sprintf("the orders found meet the lower bound; pipelined takes %d", gossip.PipelinedLength(N, 1))))
		if err := s.File(studies.StudyOrders, fmt.Sprintf("orders-%d", N), orders.Write); err != nil {
			return err
		}
	}
	return nil
}
