package ej

import (
	"embed"
	"fmt"
	"strconv"

	"starloom/fabric"
	"starloom/fabric/ej/eisenstein"
	"starloom/fabric/studies"
	"starloom/nic"
)

// published holds the figures of the paper, and reference figures of independent computations, which tests also use.
//
//go:embed eisenstein/testdata/ej_*.csv
var published embed.FS

func records(name string) (records [][]string) {
	_, records = studies.Figures(published, "eisenstein/testdata/ej_"+name+".csv")
	return records
}

// broadcastStudy reproduces the results of Z. Hussain, "An Improved One-to-All Broadcasting in Higher Dimensional
// Eisenstein-Jacobi Networks", and refutes some of them. Figures of small networks come from runs; figures of larger
// networks come from recurrences and from the path of one message.
func broadcastStudy() *studies.Study {
	return &studies.Study{
		Name: "ej",
		Cases: []string{
			"table 1", "table 2", "table 3", "example", "mean steps", "twelve steps", "six dimensions", "plane",
			"every alpha", "misprint", "counters", "all-to-all", "one packet", "claims",
		},
		Doc: "broadcasting in Eisenstein-Jacobi networks: Tables 1 to 3, the networks of 12 steps, every alpha with b to " +
			"12, the misprinted sector, all-to-all and its repairs; runs to 2 million nodes (--full: to 70 million)",
		Files: []studies.StudyFile{studies.StudyPlot},
		Run:   func(r studies.Runs) error { return (&broadcastRuns{r}).study() },
	}
}

type broadcastRuns struct{ studies.Runs }

func (s *broadcastRuns) study() error {
	return studies.RunParts(s, []studies.StudyPart{
		studies.Part("table 1", 1, s.table1),
		studies.Part("table 2", 1, s.table2),
		studies.Part("table 3", s.ran(table3Nets), s.table3),
		studies.Part("example", 1, s.example),
		studies.Part("mean steps", s.ran(meanNets), s.meanSteps),
		studies.Part("twelve steps", s.ran(twelveStepNets), s.twelveSteps),
		studies.Part("six dimensions", 0, s.sixDimensions),
		studies.Part("plane", 1, s.plane),
		studies.Part("every alpha", 2*len(alphas(1))+len(alphas(2)), s.everyAlpha),
		studies.Part("misprint", len(misprints), s.misprint),
		studies.Part("counters", 0, s.counters),
		studies.Part("all-to-all", s.allToAllRuns(), s.allToAll),
		studies.Part("one packet", 2*len(onePackets), s.onePacket),
		studies.Part("claims", 2*len(savings), s.claims),
	})
}

func (s *broadcastRuns) size(quick, full int) int {
	if s.Full() {
		return full
	}
	return quick
}

type net struct{ a, b, n int }

func (x net) String() string {
	return fmt.Sprintf("EJ_{%d+%drho}^(%d)", x.a, x.b, x.n)
}

func (x net) field() *eisenstein.Field {
	f, err := eisenstein.Degenerate(x.a, x.b)
	if err != nil {
		panic(err)
	}
	return f
}

func (x net) torus() *eisenstein.Torus {
	t, err := eisenstein.NewTorus(x.field(), x.n)
	if err != nil {
		panic(err)
	}
	return t
}

func (x net) nodes() (nodes int) {
	nodes = 1
	for range x.n {
		nodes *= x.a*x.a + x.a*x.b + x.b*x.b
	}
	return nodes
}

func (x net) network() Network { return Network{A: x.a, B: x.b, Dimensions: x.n} }

// maximum number of nodes of a network with a run
const nodesQuick, nodesFull = 2_000_000, 70_000_000

func (s *broadcastRuns) runs(x net) bool { return x.nodes() <= s.size(nodesQuick, nodesFull) }

func (s *broadcastRuns) ran(nets []net) (runs int) {
	for _, x := range nets {
		if s.runs(x) {
			runs += len(oneToAlls)
		}
	}
	return runs
}

type oneToAll struct {
	name      string
	program   string
	algorithm eisenstein.Algorithm
}

var (
	previous  = oneToAll{"previous", previousProgram, eisenstein.Previous}
	proposed  = oneToAll{"proposed", improvedProgram, eisenstein.Improved}
	oneToAlls = []oneToAll{previous, proposed}
)

type broadcast struct {
	course              []eisenstein.Step // senders and receivers of each step
	steps               int               // steps up to the last receipt
	missing, duplicates int
	packets             []int // most packets on a link by step
	passed              bool
	broken              string
	table               *eisenstein.Table // nil unless requested
	runs                int               // number of runs: 1, or 0 for a recurrence
}

func (s *broadcastRuns) run(network Network, program string, params map[string]int64, workload fabric.Workload,
	table bool) (*broadcast, error) {
	adapted := network.adapt(program, "", params)
	needs := fabric.ProgramNamed(adapted, program).Needs
	outcome, err := s.Run(&studies.Setting{
		Network: network, Program: program, Params: params, Workload: workload,
		Sizes: nic.Sizes{PayloadBytes: needs.PayloadBytes, RxFrames: needs.RxFrames,
			TxFrames: max(1, needs.TxFrames)}, SlotsMax: needs.Slots,
		Table: table,
	})
	if err != nil {
		return nil, err
	}
	list := func(name string) []int { return outcome.Metrics.Get(name).([]int) }
	b := &broadcast{
		steps: outcome.Metrics.Get("steps").(int), missing: outcome.Metrics.Get("missing").(int),
		duplicates: outcome.Metrics.Get("duplicates").(int),
		packets:    list("packets_per_link_max"), passed: outcome.Passed, broken: outcome.Broken, runs: 1,
	}
	b.table, _ = outcome.Table.(*eisenstein.Table)
	receivers := list("receivers")
	for i, senders := range list("senders") {
		b.course = append(b.course, eisenstein.Step{Senders: uint64(senders), Receivers: uint64(receivers[i])})
	}
	for len(b.course) > b.steps && b.course[len(b.course)-1] == (eisenstein.Step{}) {
		b.course = b.course[:len(b.course)-1]
	}
	return b, nil
}

func (s *broadcastRuns) mustPass(network Network, program string, params map[string]int64, workload fabric.Workload,
	table bool) (*broadcast, error) {
	b, err := s.run(network, program, params, workload, table)
	if err == nil && !b.passed {
		err = fmt.Errorf("%s, %s: %s", program, net{network.A, network.B, network.Dimensions}, b.broken)
	}
	return b, err
}

func fromOne() fabric.Workload { return fabric.Workload{OneToAll: &fabric.OneToAll{}} }
func fromAll() fabric.Workload { return fabric.Workload{AllToAll: &fabric.AllToAll{}} }

func (s *broadcastRuns) oneToAll(x net, o oneToAll) (*broadcast, error) {
	if s.runs(x) {
		return s.mustPass(x.network(), o.program, nil, fromOne(), false)
	}
	course, err := x.field().Steps(o.algorithm, x.n)
	return &broadcast{course: course, steps: len(course)}, err
}

func (b *broadcast) how() string {
	if b.runs == 0 {
		return "by recurrence"
	}
	return "by a run"
}

func (b *broadcast) senders() (senders uint64) {
	for _, step := range b.course {
		senders += step.Senders
	}
	return senders
}

func (b *broadcast) cells(x net) (rows [][]string) {
	for _, step := range b.course {
		var row []string
		for _, count := range []uint64{uint64(x.nodes()) - step.Active(), step.Senders, step.Receivers, step.Active()} {
			row = append(row, strconv.FormatUint(count, 10))
		}
		rows = append(rows, row)
	}
	return rows
}

func columns(records [][]string, from int) (rows [][]string) {
	for _, record := range records {
		rows = append(rows, record[from:])
	}
	return rows
}

// published adds a row for a printed figure, and compare a row for a reference figure; both must match exactly.
func (s *broadcastRuns) published(name, what string, published, measured float64, runs int, note string) {
	s.Add(studies.Published(name, what, published, measured, runs, 0, note))
}

func (s *broadcastRuns) compare(name, what string, reference, measured float64, runs int, note string) {
	s.Add(studies.Referred(name, what, reference, measured, runs, 0, note))
}

func (s *broadcastRuns) none(name, what string, found, runs int, note string) {
	s.compare(name, what, 0, float64(found), runs, note)
}
