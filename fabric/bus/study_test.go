package bus

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/bus/gossip"
	"starloom/fabric/studies"
	"starloom/fabric/studytest"
	"starloom/traces/figure"
)

// model runs schedules by the letter of the paper, in the place of machines.
type model struct {
	t         *testing.T
	pattern   string
	full      bool
	plan, ran int
	rows      []studies.StudyRow
	files     map[string]string

	late   int  // steps that a run takes too long
	forget bool // vertices do not learn in a step in the middle
}

func (m *model) Full() bool                    { return m.full }
func (m *model) Context() context.Context      { return m.t.Context() }
func (m *model) Plan(runs int)                 { m.plan += runs }
func (m *model) Tell(string)                   {}
func (m *model) Add(row studies.StudyRow)      { m.rows = append(m.rows, row) }
func (m *model) Writes(studies.StudyFile) bool { return true }

func (m *model) Wants(name string) bool {
	match, err := path.Match(m.pattern, name)
	require.NoError(m.t, err)
	return match
}

func (m *model) Plot(name string, f *figure.Figure) error {
	return m.File(studies.StudyPlot, name, f.WriteSVG)
}

func (m *model) File(kind studies.StudyFile, name string, write func(io.Writer) error) error {
	var out bytes.Buffer
	require.NoError(m.t, write(&out))
	m.files[name+string(kind)] = out.String()
	return nil
}

func (m *model) Sample(*studies.Setting, int, string) (*studies.Sample, error) {
	panic("gossip on buses is not random")
}

// Run knows items as maps.
func (m *model) Run(x *studies.Setting) (*studies.Outcome, error) {
	m.ran++
	b := x.Network.(Network)
	require.Equal(m.t, x.Program, "bus/"+b.schedule)
	require.Equal(m.t, (b.Vertices+7)/8, x.PayloadBytes)
	steps := schedules[b.schedule].steps(b.Vertices, b.Length)
	require.Len(m.t, steps, int(x.SlotsMax))
	outcome := &studies.Outcome{Passed: true}
	outcome.Metrics.Add("steps", len(steps)+m.late)
	if !x.Table {
		return outcome, nil
	}
	table, known := gossip.NewTable(b.Vertices), make([]map[int]bool, b.Vertices)
	for v := range known {
		known[v] = map[int]bool{v: true}
	}
	for column, step := range steps {
		after := map[int]map[int]bool{}
		for _, bus := range step {
			for _, v := range bus.Receivers {
				after[v] = maps.Clone(known[v])
				maps.Copy(after[v], known[bus.Sender])
			}
			table.Add(bus.Sender, column, gossip.Cell{Action: gossip.Sent})
		}
		for v, items := range after {
			if !m.forget || column != len(steps)/2 {
				known[v] = items
			}
			table.Add(v, column, gossip.Cell{Action: gossip.Received, Known: len(known[v])})
		}
	}
	outcome.Table = table
	return outcome, nil
}

// TestStudy: runs agree with the model in every row, and their number is as planned; one claim is
// contradicted.
func TestStudy(t *testing.T) {
	m := &model{t: t, pattern: "*", files: map[string]string{}}
	require.NoError(t, gossipStudy().Run(m))
	require.Equal(t, m.plan, m.ran)
	rows, contradicted, cut := map[string]int{}, 0, 0
	for _, row := range m.rows {
		require.True(t, row.OK, "%+v", row)
		rows[row.Case]++
		if row.Contradicted {
			require.Equal(t, "asymptotics", row.Case)
			contradicted++
		}
		if strings.Contains(row.Note, "cut") {
			cut++
		}
	}
	require.Equal(t, gossipStudy().Cases, slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return slices.Index(gossipStudy().Cases, a) - slices.Index(gossipStudy().Cases, b)
	}))
	require.Equal(t, [5]int{36, 18, 15, 4, 2}, [5]int{rows["table 1"], rows["table 2"], rows["optimum"], contradicted, cut})
	studytest.Rows(t, m.rows, "lengths", "phase 2", "bounds", "optimum", "improved", "buses")
	studytest.Explained(t, &Network{}, "bus", m.rows)
	bounds := slices.DeleteFunc(slices.Clone(m.rows), func(row studies.StudyRow) bool { return row.Case != "bounds" })
	require.Contains(t, bounds[0].Note, "it is met in 15 of them")
	require.Contains(t, bounds[1].Note, "it is met in 2111 of them")
	require.Equal(t, []string{"bus-growth.svg", "bus-schedule.svg", "bus-steps-2.svg", "bus-steps-3.svg", "bus-steps-4.svg", "bus-steps-8.svg"}, slices.Sorted(maps.Keys(m.files)))
	for _, curve := range []string{"two-phase", "improved", "naive", "upper bound of two-phase", "lower bound"} {
		require.Contains(t, m.files["bus-steps-3.svg"], curve)
	}
	require.Contains(t, m.files["bus-growth.svg"], "line 3")
	require.Contains(t, m.files["bus-schedule.svg"], "among 18 vertices, 8 steps")
	picture, err := os.ReadFile("../../examples/bus-schedule.svg")
	require.NoError(t, err)
	require.Equal(t, string(picture), m.files["bus-schedule.svg"], "starloom study bus --case 'table 1' --svg examples writes it")
}

// TestStudyFull: the cases of --full that are of other sizes.
func TestStudyFull(t *testing.T) {
	m := &model{t: t, pattern: "phase 2", full: true, files: map[string]string{}}
	require.NoError(t, gossipStudy().Run(m))
	require.Len(t, m.rows, 1)
	require.True(t, m.rows[0].OK, "%+v", m.rows[0])
	require.Equal(t, m.plan, m.ran)
}

// TestStudyFails: when runs take longer, or vertices do not learn, every case of runs has rows that
// are not right.
func TestStudyFails(t *testing.T) {
	for name, m := range map[string]*model{
		"lengths": {late: 1}, "optimum": {late: -9}, "improved": {late: 1}, "naive": {late: 1}, "table 1": {forget: true}, "phase 2": {forget: true},
	} {
		m.t, m.pattern, m.files = t, name, map[string]string{}
		require.NoError(t, gossipStudy().Run(m))
		require.True(t, slices.ContainsFunc(m.rows, func(row studies.StudyRow) bool { return !row.OK }), name)
	}
}

// TestPlanHasTheBusesOfTheSchedule: each bus appears once for all its senders; ports are the buses
// of a vertex in their order.
func TestPlanHasTheBusesOfTheSchedule(t *testing.T) {
	for _, size := range [][2]int{{5, 2}, {10, 3}, {50, 7}} {
		n, l := size[0], size[1]
		steps := gossip.TwoPhase(n, l)
		plan, seen := PlanSteps(n, steps), map[string]bool{}
		for _, members := range plan.Buses {
			require.True(t, slices.IsSorted(members))
			require.False(t, seen[fmt.Sprint(members)])
			seen[fmt.Sprint(members)] = true
		}
		for k, step := range steps {
			for i, b := range step {
				members := append([]int{b.Sender}, b.Receivers...)
				slices.Sort(members)
				require.Equal(t, members, plan.Buses[plan.Steps[k][i]])
				for _, v := range members {
					require.Equal(t, uint32(plan.Steps[k][i]), plan.taps.Bus[v][plan.Port(v, plan.Steps[k][i])])
				}
				delete(seen, fmt.Sprint(members))
			}
		}
		require.Empty(t, seen, "buses that no step uses")
	}
}

// TestScheduleWords: the accumulated changes equal the steps, and all vertices are idle at the end.
func TestScheduleWords(t *testing.T) {
	const n, l = 23, 4
	for _, name := range scheduleNames() {
		b := Network{Vertices: n, Length: l}.adapt("", name, nil).(Network)
		s, err := b.scheduled(name, nil)
		require.NoError(t, err)
		steps, plan := schedules[name].steps(n, l), b.Plan()
		require.Equal(t, len(steps), s.Slots())
		words := make([]uint64, n)
		for slot := range s.Slots() + 1 {
			s.Words(slot, words)
			want := make([]uint64, n)
			if slot < len(steps) {
				for i, bus := range steps[slot] {
					number := plan.Steps[slot][i]
					want[bus.Sender] = uint64(plan.Port(bus.Sender, number) + 1)
					for _, v := range bus.Receivers {
						want[v] = uint64(plan.Port(v, number)+1) << 16
					}
				}
			}
			require.Equal(t, want, words, "%s, slot %d", name, slot)
		}
	}
	b := Network{Vertices: 3, Buses: [][]int{{0, 1}}}.adapt("", "", nil).(Network)
	_, err := b.scheduled(twoPhase, nil)
	require.EqualError(t, err, "firmware.schedule: the schedule two-phase does not match the buses; delete "+
		"fabric.bus.buses")
}
