package studies

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"starloom/fabric"
)

// Study is a set of runs that repeats published figures of a network.
type Study struct {
	Name  string
	Cases []string // how the names of its cases begin
	Doc   string
	Files []StudyFile // what it writes beside its rows, if somebody wants it
	// Run asks for the runs and adds the rows. It ends with the first error of r.
	Run func(r Runs) error
}

// StudyFile is a kind of files that a study writes: the extension of their names.
type StudyFile string

const (
	StudyPlot   StudyFile = ".svg" // what is measured, as curves
	StudyOrders StudyFile = ".csv" // orders that it has found, for the workload gossip
)

// Runs is what a study asks for runs. Errors are those of a machine, or that the study was
// interrupted.
type Runs interface {
	// Full asks for all sizes, instead of those that take seconds.
	Full() bool
	// Wants reports whether a case is to be run.
	Wants(name string) bool
	// Context ends when the study is interrupted.
	Context() context.Context
	// Plan says how many runs there will be in all.
	Plan(runs int)
	// Tell says what goes on beside runs.
	Tell(what string)
	// Run runs once, with seed 1, whatever comes of it.
	Run(s *Setting) (*Outcome, error)
	// Sample runs with the seeds 1 to runs, two or more, and sums up a metric. A run that
	// does not finish is an error.
	Sample(s *Setting, runs int, metric string) (*Sample, error)
	// Add adds a row to the table.
	Add(row StudyRow)
	// Writes reports whether files of a kind are wanted. File writes one; name has no
	// extension. It is there when the study is over.
	Writes(kind StudyFile) bool
	File(kind StudyFile, name string, write func(io.Writer) error) error
}

// Setting is what a run of a study emulates, with the defaults of a scenario for what it
// does not say.
type Setting struct {
	Network  fabric.Network
	Program  string
	Params   map[string]int64
	Workload fabric.Workload
	// The buffers of a NIC: bytes of a payload, depths in frames.
	PayloadBytes, RxFrames, TxFrames int
	SlotsMax                         uint32
	Table                            bool // Outcome.Table is wanted
}

// Outcome is what has come of a run.
type Outcome struct {
	Passed  bool
	Broken  string // of a run that has not passed: the first violation
	Slots   uint64
	Metrics fabric.Metrics
	Table   fabric.RunTable // nil unless Setting.Table asks for it
}

// Sample sums up a metric of many runs.
type Sample struct {
	Runs                      int
	Mean, SD, SE, Median, Max float64
	Failed                    int                // runs that broke a rule
	Counts                    map[float64]uint64 // runs by value
	Sums                      map[string]uint64  // of all integer metrics
	Lists                     map[string]*SampleList
}

// SampleList sums up a metric that is a list of integers, entry by entry. The last entry of a
// list stands for those that longer lists have after it.
type SampleList struct {
	runs          uint64
	sums, squares []float64 // exact: integers below 2^53
	last, lastSq  float64   // of the last entries
}

// Add adds the list of a run.
func (l *SampleList) Add(list []int) {
	for len(l.sums) < len(list) {
		l.sums, l.squares = append(l.sums, l.last), append(l.squares, l.lastSq)
	}
	end := 0.0
	for i := range l.sums {
		if i < len(list) {
			end = float64(list[i])
		}
		l.sums[i] += end
		l.squares[i] += float64(end * end)
	}
	l.runs++
	l.last += end
	l.lastSq += float64(end * end)
}

// Means returns the mean of every entry and its standard error, of two or more runs.
func (l *SampleList) Means() (means, se []float64) {
	n := float64(l.runs)
	for i, sum := range l.sums {
		mean := sum / n
		means = append(means, mean)
		se = append(se, math.Sqrt(max(0, l.squares[i]-float64(n*mean*mean))/(n-1)/n))
	}
	return means, se
}

// StudyRow sets a measured figure beside that of a paper, or beside a reference. OK says that
// |measured - reference|, or |measured - published| where there is no reference, is at most
// Tolerance, or that the case's own test holds (Note says which). Contradicted says that it is the
// paper that is wrong: Note quotes it, and Reference, by which OK goes, is what holds in its place.
type StudyRow struct {
	Case     string `json:"case"`
	Quantity string `json:"quantity"`
	// What the paper prints, or what a formula that it prints gives; null where it prints nothing.
	Published *float64 `json:"published"`
	// What follows from a definition or from an independent computation; null where the measured
	// figure is compared with the published one.
	Reference    *float64 `json:"reference"`
	Measured     float64  `json:"measured"`
	SD           *float64 `json:"sd"`   // standard deviation of a run; null for one run or none
	SE           *float64 `json:"se"`   // standard error of Measured
	Runs         int      `json:"runs"` // of Measured; 0: a formula
	Tolerance    float64  `json:"tolerance"`
	OK           bool     `json:"ok"`
	Contradicted bool     `json:"contradicted,omitempty"`
	Note         string   `json:"note,omitempty"`
}

// Status is OK and Contradicted in a word: ok, contradicted or off.
func (r *StudyRow) Status() string {
	switch {
	case !r.OK:
		return "off"
	case r.Contradicted:
		return "contradicted"
	}
	return "ok"
}

// Printed is a figure that a paper prints.
func Printed(figure float64) *float64 { return &figure }

// Published returns a row that is right when what was measured differs from what the paper prints
// by the tolerance at most. runs is the number of runs of what was measured, 0 for a formula.
func Published(name, quantity string, published, measured float64, runs int, tolerance float64, note string) StudyRow {
	row := Referred(name, quantity, published, measured, runs, tolerance, note)
	row.Published, row.Reference = row.Reference, nil
	return row
}

// Referred is Published for a figure that the paper does not print.
func Referred(name, quantity string, reference, measured float64, runs int, tolerance float64, note string) StudyRow {
	measured, reference = float64(measured), float64(reference) // products, not fused with the difference
	return StudyRow{
		Case: name, Quantity: quantity, Reference: &reference, Measured: measured, Runs: runs, Tolerance: tolerance,
		OK: math.Abs(measured-reference) <= tolerance+1e-9, Note: note,
	}
}

// Quotation is what a paper says, and where: its section, or the number of a table or proposition.
type Quotation struct{ Words, Place string }

// Contradicting returns a row of Referred as one that contradicts a paper: by its words, and by
// the figure that they give, if they give one.
func (r StudyRow) Contradicting(published *float64, q Quotation) StudyRow {
	note := fmt.Sprintf("%q (%s)", q.Words, q.Place)
	if r.Note != "" {
		note += ": " + r.Note
	}
	r.Published, r.Contradicted, r.Note = published, true, note
	return r
}

// Within returns how many runs had a value of the metric that is not above a limit.
func (s *Sample) Within(limit float64) (runs uint64) {
	for value, count := range s.Counts {
		if value <= limit {
			runs += count
		}
	}
	return runs
}

// Published returns a row for scale times the mean of a sample.
func (s *Sample) Published(name, quantity string, published, scale, tolerance float64, note string) StudyRow {
	return s.deviating(Published(name, quantity, published, scale*s.Mean, s.Runs, tolerance, note), scale)
}

// Referred is Published for a figure that the paper does not print.
func (s *Sample) Referred(name, quantity string, reference, scale, tolerance float64, note string) StudyRow {
	return s.deviating(Referred(name, quantity, reference, scale*s.Mean, s.Runs, tolerance, note), scale)
}

func (s *Sample) deviating(row StudyRow, scale float64) StudyRow {
	sd, se := scale*s.SD, scale*s.SE
	row.SD, row.SE = &sd, &se
	return row
}

// Tolerance is 3.5 standard errors of the difference between the sample's mean and
// that of a reference of runs runs with the standard deviation sd. Both sides draw
// from one distribution if the firmware is right, and the deviation of a short sample
// is easily too small: the larger one is taken, and the note says which.
func (s *Sample) Tolerance(sd float64, runs int) (tolerance float64, note string) {
	note = fmt.Sprintf("tolerance by the reference's sd %.3f, above the measured", sd)
	if s.SD > sd {
		note = fmt.Sprintf("tolerance by the measured sd, above the reference's %.3f", sd)
		sd = s.SD
	}
	return 3.5 * sd * math.Sqrt(1/float64(s.Runs)+1/float64(runs)), note
}

func (*Study) IsStudy() {}

// StudiesOf are the studies of a network, nil for none.
func StudiesOf(n fabric.Network) (all []*Study) {
	for _, s := range n.Abilities().Description.Studies {
		all = append(all, s.(*Study))
	}
	return all
}

// StudyPart is a case of a study.
type StudyPart struct {
	name string
	runs int
	add  func(name string) error
}

// Part is a case of that name. add adds its rows, and asks for so many runs.
func Part(name string, runs int, add func(name string) error) StudyPart {
	return StudyPart{name, runs, add}
}

// RunParts runs the parts that are wanted.
func RunParts(r Runs, parts []StudyPart) error {
	parts = slices.DeleteFunc(parts, func(p StudyPart) bool { return !r.Wants(p.name) })
	total := 0
	for _, p := range parts {
		total += p.runs
	}
	r.Plan(total)
	for _, p := range parts {
		if err := r.Context().Err(); err != nil {
			return err
		}
		if err := p.add(p.name); err != nil {
			return err
		}
	}
	return nil
}

// Figures reads a table of published figures that is part of the program.
func Figures(files fs.FS, path string) (header []string, records [][]string) {
	file, err := files.Open(path)
	if err == nil {
		records, err = csv.NewReader(file).ReadAll()
	}
	if err != nil {
		panic(fmt.Sprintf("published figures %s: %v", path, err))
	}
	return records[0], records[1:]
}

// Figure is the number that a cell of a table holds.
func Figure(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("a published figure: %v", err))
	}
	return value
}

// Differing counts the different cells of two tables, with those of only one of them.
func Differing(a, b [][]string) (cells int) {
	for i := range max(len(a), len(b)) {
		var left, right []string
		if i < len(a) {
			left = a[i]
		}
		if i < len(b) {
			right = b[i]
		}
		for j := range max(len(left), len(right)) {
			if j >= len(left) || j >= len(right) || left[j] != right[j] {
				cells++
			}
		}
	}
	return cells
}
