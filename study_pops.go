package starloom

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"starloom/fabric"
)

// popsStudy repeats Tables I and II of A. Mei and R. Rizzi, "On-Line Permutation
// Routing in Partitioned Optical Passive Star Networks", and what has been found
// out about them.
var popsStudy = study{
	StudyInfo: StudyInfo{
		Name:  "pops",
		Cases: []string{"d=g", "d=4g", "d=16g", "corrected", "offline", "figure 3", "adversary"},
		Doc:   "randomised, off-line and sorting-based permutation routing: Tables I and II, Figure 3, the lower bound's adversary; n to 4,096 (--full: to 16,777,216)",
	},
	run: runPOPSStudy,
}

// popsRow is one size of the tables.
type popsRow struct {
	groupSize, groups int
	iterations        float64 // Table II, mean of 100 runs
	slots             float64 // Table I, column A
	formula           int     // Table I, column B: the deterministic algorithm before
	sorting           int     // slots of sorting with Batcher's network
	mean, sd          float64 // of one run's iterations, large sample
	median            int
}

func (r *popsRow) name() string {
	if r.groupSize == r.groups {
		return fmt.Sprintf("d=g n=%d", r.groupSize*r.groups)
	}
	return fmt.Sprintf("d=%dg n=%d", r.groupSize/r.groups, r.groupSize*r.groups)
}

// correctedRow is one size of the corrected rule.
type correctedRow struct {
	groupSize, groups int
	mean, sd          float64
	runs              int // of the sample behind mean and sd
}

func (r *correctedRow) name() string {
	return fmt.Sprintf("corrected POPS(%d,%d)", r.groupSize, r.groups)
}

// popsStudyRun collects the rows of a study.
type popsStudyRun struct {
	ctx     context.Context
	options StudyOptions
	rows    []StudyRow
	done    int
	total   int
}

// The sizes and efforts. Runs per row follow from constants, never from a clock.
const (
	quickProcessorsMax = 4096
	// Processor-slots that a row may cost, and the least runs that make a mean.
	quickEffort, fullEffort = 25e6, 1e9
	runsMin                 = 2
	publishedRuns           = 100 // behind each mean of Tables I and II
	runsMax                 = 20000
	sortRunProcessorsMax    = 1024
)

func runPOPSStudy(ctx context.Context, o StudyOptions) ([]StudyRow, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	s := &popsStudyRun{ctx: ctx, options: o}
	for _, row := range popsTables {
		s.total += s.runs(row.name(), row.groupSize, row.groups, row.mean*5)
	}
	for _, row := range correctedTable {
		s.total += s.runs(row.name(), row.groupSize, row.groups, row.mean*6)
	}
	if o.wants(figure3Name) {
		s.total += figure3Runs
	}
	for _, step := range []func() error{s.tables, s.corrected, s.offline, s.figure3, s.adversary} {
		err := step()
		if ctx.Err() != nil {
			return s.rows, &interruptedError{s.done, s.total}
		}
		if err != nil {
			return nil, err
		}
	}
	return s.rows, nil
}

// runs returns how many runs a size gets, 0 if it is for --full only or not wanted.
func (s *popsStudyRun) runs(name string, d, g int, slots float64) int {
	if !s.options.wants(name) {
		return 0
	}
	n, effort := d*g, float64(quickEffort)
	if s.options.Full {
		effort = fullEffort
	} else if n > quickProcessorsMax {
		return 0
	}
	return max(runsMin, min(runsMax, int(effort/(float64(n)*slots))))
}

func (s *popsStudyRun) add(row StudyRow) { s.rows = append(s.rows, row) }

// compare adds a row that is right when the figures differ by the tolerance at most.
func (s *popsStudyRun) compare(name, quantity string, published, measured, tolerance float64, note string) {
	s.add(StudyRow{
		Case: name, Quantity: quantity, Published: published, Measured: measured, Tolerance: tolerance,
		OK: math.Abs(measured-published) <= tolerance+1e-9, Note: note,
	})
}

// tables repeats Tables I and II.
func (s *popsStudyRun) tables() error {
	for _, row := range popsTables {
		name := row.name()
		runs := s.runs(name, row.groupSize, row.groups, row.mean*5)
		if runs == 0 {
			continue
		}
		scenario := routerScenario("pops/random", row.groupSize, row.groups)
		sample, err := s.sample(scenario, runs)
		if err != nil {
			return err
		}
		note := sample.note()
		if sample.lost > 0 {
			note += fmt.Sprintf("; reached only by losing %.1f%% of the packets", 100*float64(sample.lost)/float64(runs*row.groupSize*row.groups))
		}
		tolerance, why := sample.tolerance(row.sd, publishedRuns)
		if row.groupSize == 16*row.groups && row.groups <= 8 {
			// The mean hangs on a few runs of thousands of iterations.
			s.compare(name, "iterations, median", float64(row.median), *sample.Median, 2, note+"; compared with the median of a large sample, the published mean is "+fmt.Sprint(row.iterations))
		} else {
			s.compare(name, "table II iterations", row.iterations, *sample.Mean, tolerance, note+why)
			s.compare(name, "table I column A slots", row.slots, 5**sample.Mean, 5*tolerance, note+why)
		}
		p := fabric.POPS{Groups: row.groups, GroupSize: row.groupSize}
		s.compare(name, "table I column B slots", float64(row.formula), fabric.PreviousSlots(p), 0, "formula")
		measured, note := float64(fabric.SortSlots(p)), "stages x slots of a stage"
		if p.Processors() <= sortRunProcessorsMax {
			report, err := s.single(routerScenario("pops/sort", row.groupSize, row.groups))
			if err != nil {
				return err
			}
			measured, note = float64(report.Slots), "run, every packet in its place"
		}
		s.compare(name, "sorting slots", float64(row.sorting), measured, 0, note)
	}
	return nil
}

// corrected measures the rule that delivers every packet.
func (s *popsStudyRun) corrected() error {
	for _, row := range correctedTable {
		runs := s.runs(row.name(), row.groupSize, row.groups, row.mean*6)
		if runs == 0 {
			continue
		}
		sample, err := s.sample(routerScenario("pops/random-corrected", row.groupSize, row.groups), runs)
		if err != nil {
			return err
		}
		if sample.failed > 0 {
			return fmt.Errorf("pops/random-corrected on POPS(%d,%d): %d of %d runs failed", row.groupSize, row.groups, sample.failed, runs)
		}
		tolerance, why := sample.tolerance(row.sd, row.runs)
		s.compare(row.name(), "steps", row.mean, *sample.Mean, tolerance,
			sample.note()+"; every packet exactly once"+why)
	}
	return nil
}

// offline routes random permutations off-line.
func (s *popsStudyRun) offline() error {
	for _, size := range [][2]int{{1, 64}, {8, 8}, {64, 64}, {32, 8}, {7, 3}, {8, 32}, {3, 7}} {
		p := fabric.POPS{GroupSize: size[0], Groups: size[1]}
		name := fmt.Sprintf("offline POPS(%d,%d)", p.GroupSize, p.Groups)
		if !s.options.wants(name) {
			continue
		}
		report, err := s.single(routerScenario("pops/offline", p.GroupSize, p.Groups))
		if err != nil {
			return err
		}
		s.compare(name, "slots", float64(fabric.OfflineSlots(p)), float64(report.Slots), 0, "1 for d = 1, else 2 ceil(d/g)")
	}
	return nil
}

// The standard error of so many runs' mean is 0.006.
const (
	figure3Name = "figure 3"
	figure3Runs = 20000
)

// figure3 is the worked example of the paper, POPS(4,4).
var figure3 = []uint32{1, 5, 8, 9, 3, 10, 11, 14, 15, 13, 0, 7, 2, 6, 12, 4}

func (s *popsStudyRun) figure3() error {
	if !s.options.wants(figure3Name) {
		return nil
	}
	scenario := routerScenario("pops/random", 4, 4)
	scenario.Workload.Permutation = Permutation{Kind: PermutationList, List: figure3}
	sample, err := s.sample(scenario, figure3Runs)
	if err != nil {
		return err
	}
	s.compare(figure3Name, "iterations", 4.19, *sample.Mean, 0.005+4**sample.SE,
		fmt.Sprintf("%d runs of the one permutation, sd %.3f; tolerance by the measured sd: none is published", sample.Runs, *sample.SD))
	return nil
}

// adversary lets the repaired construction defeat deterministic two-hops firmware,
// and shows the gap in the published one.
func (s *popsStudyRun) adversary() error {
	for _, c := range []struct{ groups, slots int }{{16, 8}, {32, 10}, {64, 12}, {128, 14}} {
		name := fmt.Sprintf("adversary g=%d", c.groups)
		if !s.options.wants(name) {
			continue
		}
		for choice, schedule := range []string{"hash", "rotation", "Delta(i)", "blocks"} {
			scenario := routerScenario(twoHopsProgram, c.groups, c.groups)
			scenario.Firmware.Params = map[string]int64{"choice": int64(choice)}
			scenario.Workload = Workload{Adversary: &Adversary{Slots: c.slots}}
			scenario.Stop.Slots = uint32(c.slots)
			m, err := NewMachine(s.ctx, scenario, MachineOptions{Engine: EngineSlot})
			if err != nil {
				return err
			}
			err = m.Run(s.ctx, nil)
			missing := c.groups*c.groups - m.Report().Metrics.Get("delivered").(int)
			if err = errors.Join(err, m.Close(), s.ctx.Err()); err != nil {
				return err
			}
			s.add(StudyRow{
				Case: name, Quantity: fmt.Sprintf("packets missing after %d slots", c.slots),
				Published: 1, Measured: float64(missing), OK: missing >= 1, Note: "at least one; schedule: " + schedule,
			})
		}
	}
	p := fabric.POPS{Groups: 64, GroupSize: 64}
	table := fabric.GapTable(p)
	for _, c := range []struct {
		name, note string
		build      func(fabric.POPS, fabric.ChoiceTable, int) ([]uint32, int, error)
		arrives    float64
	}{
		{"published", "the published construction fails here: its packet should not have arrived", fabric.PublishedAdversary, 2},
		{"repaired", "0: not within 2 slots", fabric.Adversary, 0},
	} {
		name := "adversary g=64, " + c.name
		if !s.options.wants(name) {
			continue
		}
		destination, start, err := c.build(p, table, 2)
		if err != nil {
			return err
		}
		arrivals, err := fabric.RouteTwoHops(p, table, destination, 2)
		if err != nil {
			return err
		}
		s.compare(name, "slot in which its packet arrives", c.arrives, float64(arrivals[start]), 0, c.note)
	}
	return nil
}

// routerScenario is what one run emulates: packets of 8 bytes and the smallest
// buffers, so that the largest networks fit into memory.
func routerScenario(program string, d, g int) *Scenario {
	s := DefaultScenario()
	s.Name = fmt.Sprintf("study %s d=%d g=%d", program, d, g)
	s.Fabric.POPS = &POPS{Groups: g, GroupSize: d}
	s.NIC = NIC{PayloadBytes: 8, RXFrames: 1, TXFrames: 1}
	s.Firmware.Program = program
	s.Stop.Slots = 10_000_000
	return s
}

// single runs a scenario that must pass.
func (s *popsStudyRun) single(scenario *Scenario) (*Report, error) {
	m, err := NewMachine(s.ctx, scenario, MachineOptions{Engine: EngineSlot})
	if err != nil {
		return nil, err
	}
	err = m.Run(s.ctx, nil)
	report := m.Report()
	if err == nil {
		err = s.ctx.Err()
	}
	if err == nil && report.Verdict != VerdictPass {
		v := report.Violations[0]
		err = fmt.Errorf("%s: %s at cycle %d: %s", scenario.Name, v.Rule, v.Cycle, v.Message)
	}
	return report, errors.Join(err, m.Close())
}

// sample draws the steps of runs with the seeds 1 to runs.
func (s *popsStudyRun) sample(scenario *Scenario, runs int) (*stepSample, error) {
	steps, sample := histogram{}, &stepSample{}
	b := batch{scenario: scenario, seeds: Seeds{1, uint64(runs)}, options: MachineOptions{Engine: EngineSlot, Workers: s.options.Workers}}
	err := b.run(s.ctx, func(r *batchRun, _ uint64) error {
		if !r.finished {
			return fmt.Errorf("%s, seed %d: not done after %d slots", scenario.Name, r.seed, r.report.Slots)
		}
		steps.add(float64(r.report.Metrics.Get("steps").(int)))
		lost, _ := r.report.Metrics.Get("lost").(int)
		sample.lost += lost
		if r.report.Verdict != VerdictPass {
			sample.failed++
		}
		s.done++
		if s.options.Progress != nil {
			s.options.Progress(s.done, s.total, scenario.Name)
		}
		return nil
	})
	if err == nil {
		err = s.ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	sample.Statistic = steps.statistic("steps")
	return sample, nil
}

// stepSample holds the steps of many runs, two or more.
type stepSample struct {
	Statistic
	lost   int // packets acknowledged but lost, in all runs
	failed int // runs that broke a rule
}

// note tells the sample.
func (s *stepSample) note() string {
	return fmt.Sprintf("%d runs, sd %.3f, max %g", s.Runs, *s.SD, *s.Max)
}

// tolerance is 3.5 standard errors of the difference between the sample's mean and
// that of a reference of runs runs with the standard deviation sd. Both sides draw
// from one distribution if the firmware is right, and the deviation of a short sample
// is easily too small: the larger one is taken, and the note says which.
func (s *stepSample) tolerance(sd float64, runs int) (tolerance float64, note string) {
	note = fmt.Sprintf("; tolerance by the reference's sd %.3f, above the measured", sd)
	if *s.SD > sd {
		note = fmt.Sprintf("; tolerance by the measured sd, above the reference's %.3f", sd)
		sd = *s.SD
	}
	return 3.5 * sd * math.Sqrt(1/float64(s.Runs)+1/float64(runs)), note
}
