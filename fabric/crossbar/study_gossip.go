package crossbar

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/fabric/crossbar/gossip"
	"starloom/fabric/studies"
	"starloom/nic"
	"starloom/traces/figure"
)

// gossipStudy reproduces the results of V. De Florio and C. Blondia, "The Algorithm of Pipelined Gossiping", and
// checks later findings. All lengths come from runs.
func gossipStudy() *studies.Study {
	return &studies.Study{
		Name:  "gossip",
		Cases: []string{"table", "lengths", "metrics", "sessions", "cap", "aloha", "optimal", "claims", "search"},
		Doc: "permutation-driven gossiping on a crossbar: Tables 1 to 9, lengths, metrics, sessions, limits; N to 255 " +
			"(--full: to 2,047)",
		Files: []studies.StudyFile{studies.StudyPlot, studies.StudyOrders},
		Run:   func(r studies.Runs) error { return (&gossipRuns{r}).study() },
	}
}

type gossipRuns struct{ studies.Runs }

func (s *gossipRuns) study() error {
	var parts []studies.StudyPart
	for _, table := range runTables {
		parts = append(parts, studies.Part(table.name, 1, func(string) error { return s.table(&table) }))
	}
	return studies.RunParts(s, append(parts,
		studies.Part("table 6", 1, s.table6),
		studies.Part("table 8", 2*s.size(7, 11), s.table8),
		studies.Part("lengths", len(family)*s.size(lengthsQuick, lengthsFull)+s.plotted(), s.lengths),
		studies.Part("metrics", len(metricsOrders)*metricsMax, s.metrics),
		studies.Part("sessions", 4*sessionsNMax, s.sessions),
		studies.Part("cap", 2*len(caps), s.caps),
		studies.Part("aloha", len(alohas)*s.size(alohaQuick, alohaFull), s.aloha),
		studies.Part("optimal", s.size(optimalQuick, optimalFull), s.optimal),
		studies.Part("claims", 4, s.claims),
		studies.Part("search", s.size(searchQuick, searchFull)-1, s.search),
	))
}

func (s *gossipRuns) size(quick, full int) int {
	if s.Full() {
		return full
	}
	return quick
}

type gossiping struct {
	program       string        // name, "" for gossip/fsa
	N             int           // largest id, for a program with its own orders
	orders        gossip.Orders // orders of gossip/fsa
	scheduling    int
	sessions, cap int
	table         bool
}

type gossiped struct {
	lambda int
	nu     []int
	table  *gossip.Table // run-table, nil unless requested
}

func (g *gossiped) epsilon(processors int) *big.Rat {
	return gossip.Measure(processors, g.nu).Epsilon
}

func (s *gossipRuns) gossip(x gossiping) (*gossiped, error) {
	N, sessions, program := x.N, max(1, x.sessions), x.program
	if program == "" {
		N, program = x.orders.N(), fsaProgram
	}
	outcome, err := s.Run(&studies.Setting{
		Network: Network{Ports: N + 1, CrossbarKeys: contend.CrossbarKeys{Cap: x.cap}}, Program: program,
		Params:   map[string]int64{"scheduling": int64(x.scheduling)},
		Workload: fabric.Workload{Gossip: &fabric.Gossip{Given: x.orders, Sessions: sessions}},
		Sizes:    nic.Sizes{PayloadBytes: 8, RxFrames: 1, TxFrames: 1},
		SlotsMax: uint32(sessions*gossip.SerialLength(N) + 1),
		Table:    x.table,
	})
	if err == nil && !outcome.Passed {
		err = fmt.Errorf("%s, %d processors: %s", program, N+1, outcome.Broken)
	}
	if err != nil {
		return nil, err
	}
	g := &gossiped{lambda: outcome.Metrics.Get("lambda").(int), nu: outcome.Metrics.Get("utilisation").([]int)}
	g.table, _ = outcome.Table.(*gossip.Table)
	return g, nil
}

func (s *gossipRuns) count(name, what string, found, runs int, note string) {
	s.Add(studies.Referred(name, what, 0, float64(found), runs, 0, note))
}

type runTable struct {
	name, file, what string
	scheduling       int
	orders           gossip.Orders
}

var runTables = []runTable{
	{"table 1", "table_1", "identity, N = 4", schedulingNone, gossip.Identity(4)},
	{"table 2", "table_2", "identity, N = 7", schedulingNone, gossip.Identity(7)},
	{"table 3", "table_3", "orders shared by all, N = 5", schedulingNone, gossip.Shared([]uint32{5, 1, 0, 3, 2, 4})},
	{"table 4", "table_4", "pipelined, N = 9", schedulingNone, gossip.Pipelined(9)},
	{"table 5", "table_5", "pipelined, N = 8", schedulingNone, gossip.Pipelined(8)},
	{"table 7", "table_7", "Algorithm 2 on identity, N = 7", scheduling2, gossip.Identity(7)},
	{"table 9", "table_9", "Algorithm 2 on pipelined, N = 4", scheduling2, gossip.Pipelined(4)},
}

// publishedTable returns a published run-table: a row of cells for each processor, then a row of used slots.
func publishedTable(file string) (rows [][]string) {
	_, records := studies.Figures(published, "gossip/testdata/gossip_"+file+".csv")
	for _, record := range records {
		rows = append(rows, record[1:])
	}
	return rows
}

func (s *gossipRuns) table(t *runTable) error {
	g, err := s.gossip(gossiping{orders: t.orders, scheduling: t.scheduling, table: true})
	if err != nil {
		return err
	}
	rows := publishedTable(t.file)
	s.count(t.name, "differing cells", studies.Differing(rows, g.rows()), 1,
		t.what+"; including the used slots below the table")
	s.Add(studies.Published(t.name, "steps", float64(len(rows[0])), float64(g.lambda), 1, 0, t.what))
	return nil
}

func (g *gossiped) rows() [][]string {
	var text bytes.Buffer
	err := g.table.WriteCSV(&text)
	var rows [][]string
	if err == nil {
		rows, err = csv.NewReader(&text).ReadAll()
	}
	if err != nil {
		panic(fmt.Sprintf("crossbar: the cells of a run-table: %v", err))
	}
	var used []string
	for _, nu := range g.nu {
		used = append(used, fmt.Sprint(nu))
	}
	return append(rows, used)
}

// table6 reproduces several consecutive sessions: the published beginning and end, and the properties of the steps in
// between.
func (s *gossipRuns) table6(name string) error {
	const N, sessions = 4, 3
	g, err := s.gossip(gossiping{orders: gossip.Pipelined(N), sessions: sessions, table: true})
	if err != nil {
		return err
	}
	beginning, end := publishedTable("table_6_prefix"), publishedTable("table_6_suffix")
	var first, last [][]string
	for _, row := range g.rows() {
		first = append(first, row[:len(beginning[0])])
		last = append(last, row[len(row)-len(end[0]):])
	}
	note := fmt.Sprintf("pipelined, N = %d, %d sessions", N, sessions)
	s.count(name, "differing cells, beginning", studies.Differing(beginning, first), 1, note)
	s.count(name, "differing cells, end", studies.Differing(end, last), 1, note)
	const from = 6 // columns 7 to 16 in the paper
	used, period := 0, gossip.SessionPeriod(N)
	for _, nu := range g.nu[from : from+period] {
		used += nu
	}
	s.Add(studies.Published(name, "efficiency in a period", float64(N)/(N+1),
		float64(used)/float64((N+1)*period), 1, 0, "N/(N+1), "+note))
	s.Add(studies.Published(name, "completions of a processor per step", 0.5,
		float64(completions(g.rows()[:N+1], from, from+period))/float64(period), 1, 0,
		"columns 7 to 16, in which five processors receive the last value of a session; a whole session takes 2(N+1) steps "+
			"(case claims)"))
	return nil
}

func completions(rows [][]string, from, to int) (found int) {
	for _, row := range rows {
		received := 0
		for column, cell := range row[:to] {
			if !strings.HasPrefix(cell, "R") {
				continue
			}
			if received++; received%(len(rows)-1) == 0 && column >= from {
				found++
			}
		}
	}
	return found
}

// table8 reproduces the best case of Algorithm 2. It also runs Algorithm 2', whose efficiency stays above 2/3.
func (s *gossipRuns) table8(name string) error {
	_, records := studies.Figures(published, "gossip/testdata/gossip_table_8.csv")
	for _, record := range records[:s.size(7, 11)] {
		N := int(studies.Figure(record[1]))
		g, err := s.gossip(gossiping{orders: gossip.Identity(N), scheduling: scheduling2})
		if err != nil {
			return err
		}
		s.Add(studies.Published(name, fmt.Sprintf("epsilon %%, N = %d", N), studies.Figure(record[3]),
			percent(g.epsilon(N+1)), 1, 0.005,
			fmt.Sprintf("Algorithm 2 on identity: %d steps", g.lambda)))
		if g, err = s.gossip(gossiping{orders: gossip.Identity(N), scheduling: scheduling2Star}); err != nil {
			return err
		}
		s.Add(studies.Referred(name, fmt.Sprintf("steps without cursor, N = %d", N),
			studies.Figure(record[5]), float64(g.lambda), 1, 0,
			fmt.Sprintf("Algorithm 2', not in the paper: epsilon %.2f %%", percent(g.epsilon(N+1)))))
	}
	return nil
}

func percent(part *big.Rat) float64 {
	value, _ := part.Float64()
	return 100 * value
}

const (
	lengthsQuick, lengthsFull = 40, 160
	optimalQuick, optimalFull = 8, 11 // powers of two
	searchQuick, searchFull   = 10, 15
	alohaQuick, alohaFull     = 2000, 100_000 // numbers of runs
	metricsMax                = 24
	sessionsNMax              = 20
)

type member struct {
	name       string
	scheduling int
	orders     func(N int) gossip.Orders
	column     int
	printed    string // proposition with the published length, "" for none
	first      int    // smallest N for which the length holds
}

var family = []member{
	{"identity", schedulingNone, gossip.Identity, 1, "Proposition 14", 1},
	{"pipelined", schedulingNone, gossip.Pipelined, 3, "Proposition 18", 2},
	{"Algorithm 2 on identity", scheduling2, gossip.Identity, 4, "", 0},
	{"Algorithm 2 on pipelined", scheduling2, gossip.Pipelined, 5, "", 0},
	{"Algorithm 2' on identity", scheduling2Star, gossip.Identity, 6, "", 0},
	{"Algorithm 2' on pipelined", scheduling2Star, gossip.Pipelined, 7, "", 0},
}

func (m *member) row(name string, N int, reference, steps float64) studies.StudyRow {
	quantity := fmt.Sprintf("steps, N = %d", N)
	if m.printed != "" && N >= m.first {
		return studies.Published(name, quantity, reference, steps, 1, 0, m.name+" ("+m.printed+")")
	}
	return studies.Referred(name, quantity, reference, steps, 1, 0, m.name)
}

func (s *gossipRuns) plotted() (runs int) {
	if s.Writes(studies.StudyPlot) {
		for N := 1; N <= s.size(lengthsQuick, lengthsFull); N = 2*N + 1 {
			runs++
		}
	}
	return runs
}

func (s *gossipRuns) lengths(name string) error {
	_, records := studies.Figures(published, "gossip/testdata/gossip_lengths.csv")
	sizes := s.size(lengthsQuick, lengthsFull)
	shown := []int{1, 2, 4, 7, 8, 9, 18}
	var curves []gossip.Curve
	for _, m := range family {
		curve, wrong := gossip.Curve{Name: m.name}, 0
		for N := 1; N <= sizes; N++ {
			g, err := s.gossip(gossiping{orders: m.orders(N), scheduling: m.scheduling})
			if err != nil {
				return err
			}
			reference := studies.Figure(records[N-1][m.column])
			if float64(g.lambda) != reference {
				wrong++
			}
			if slices.Contains(shown, N) {
				s.Add(m.row(name, N, reference, float64(g.lambda)))
			}
			curve.N, curve.Lambda = append(curve.N, N), append(curve.Lambda, g.lambda)
		}
		s.count(name, fmt.Sprintf("sizes with other steps, N = 1 to %d", sizes), wrong, sizes, m.name)
		curves = append(curves, curve)
	}
	if !s.Writes(studies.StudyPlot) {
		return nil
	}
	optimal := gossip.Curve{Name: "optimal", Style: figure.Dots}
	for N := 1; N <= sizes; N = 2*N + 1 {
		g, err := s.best(N, false)
		if err != nil {
			return err
		}
		optimal.N, optimal.Lambda = append(optimal.N, N), append(optimal.Lambda, g.lambda)
	}
	lambda, mu, epsilon := gossip.Plots(append(curves, optimal))
	for _, p := range []struct {
		name string
		plot *figure.Figure
	}{{"lambda", lambda}, {"mu", mu}, {"epsilon", epsilon}} {
		if err := s.Plot("gossip-"+p.name, p.plot); err != nil {
			return err
		}
	}
	return nil
}

func (s *gossipRuns) best(N int, table bool) (*gossiped, error) {
	return s.gossip(gossiping{program: optimalProgram, N: N, table: table})
}

// published holds the figures of the papers, and reference figures of independent computations, which tests also use.
//
//go:embed gossip/testdata/gossip_*.csv scatter/testdata/scatter_*.csv
var published embed.FS
