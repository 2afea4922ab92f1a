// Package studies defines studies: requests for runs, and result rows.
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
	"starloom/nic"
	"starloom/traces/figure"
)

// Study is a set of runs that reproduces published figures of a network.
type Study struct {
	Name  string
	Cases []string // prefixes of the names of the study's cases
	Doc   string
	Files []StudyFile // additional files, written on request
	// Run requests the runs and adds the rows. It returns the first error of r.
	Run func(r Runs) error
}

// StudyFile is a kind of file of a study, given by its file extension.
type StudyFile string

const (
	StudyPlot   StudyFile = ".svg" // measurements as curves
	StudyOrders StudyFile = ".csv" // orders found, for the workload gossip
)

// Runs executes the runs of a study. Its methods return errors of a machine or of an interruption.
type Runs interface {
	// Full reports whether all sizes are requested; otherwise only small sizes, which take seconds.
	Full() bool
	// Wants reports whether a case is selected.
	Wants(name string) bool
	// Context is cancelled when the study is interrupted.
	Context() context.Context
	// Plan announces the total number of runs.
	Plan(runs int)
	// Tell reports progress other than runs.
	Tell(what string)
	// Run executes one run with seed 1. A failed run is not an error.
	Run(s *Setting) (*Outcome, error)
	// Sample executes runs, at least two, with seeds from 1 on, and summarises a metric. An unfinished run is an
	// error.
	Sample(s *Setting, runs int, metric string) (*Sample, error)
	// Add adds a row to the table.
	Add(row StudyRow)
	// Writes reports whether files of a kind are requested. File writes such a file at the end of the study; name has
	// no extension.
	Writes(kind StudyFile) bool
	File(kind StudyFile, name string, write func(io.Writer) error) error
	// Plot writes a figure as a StudyPlot.
	Plot(name string, f *figure.Figure) error
}

// Setting is the scenario for a run of a study. Zero fields select the defaults of scenarios.
type Setting struct {
	Network  fabric.Network
	Program  string
	Params   map[string]int64
	Workload fabric.Workload
	nic.Sizes
	SlotsMax uint32
	Table    bool // request Outcome.Table
}

// Outcome is the result of a run.
type Outcome struct {
	Passed  bool
	Broken  string // first violation of a failed run
	Slots   uint64
	Metrics fabric.Metrics
	Table   fabric.RunTable // nil unless Setting.Table is set
}

// Sample summarises a metric of many runs.
type Sample struct {
	Runs                      int
	Mean, SD, SE, Median, Max float64
	Failed                    int                // number of runs that broke a rule
	Counts                    map[float64]uint64 // number of runs by value
	Sums                      map[string]uint64  // sums of all integer metrics
	Lists                     map[string]*SampleList
}

// SampleList summarises a metric with a list of integers, entry by entry. A short list is extended with copies of its
// last entry.
type SampleList struct {
	runs          uint64
	sums, squares []float64 // exact, because the integers are below 2^53
	last, lastSq  float64   // sums over the last entries
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

// Means returns the mean of every entry, and its standard error. It requires at least two runs.
func (l *SampleList) Means() (means, se []float64) {
	n := float64(l.runs)
	for i, sum := range l.sums {
		mean := sum / n
		means = append(means, mean)
		se = append(se, math.Sqrt(max(0, l.squares[i]-float64(n*mean*mean))/(n-1)/n))
	}
	return means, se
}

// StudyRow compares a measured figure with a reference or, without a reference, with a paper's figure. OK means that
// the difference is at most Tolerance, or that the condition in Note is met. Contradicted means that the paper,
// quoted in Note, is wrong; OK then refers to Reference.
type StudyRow struct {
	Case     string `json:"case"`
	Quantity string `json:"quantity"`
	// figure of the paper, printed or computed from its formula; null for none
	Published *float64 `json:"published"`
	// figure from a definition or an independent computation; null if Measured is compared with Published
	Reference    *float64 `json:"reference"`
	Measured     float64  `json:"measured"`
	SD           *float64 `json:"sd"`   // standard deviation of a run; null for one run or none
	SE           *float64 `json:"se"`   // standard error of Measured
	Runs         int      `json:"runs"` // runs of Measured; 0 for a formula
	Tolerance    float64  `json:"tolerance"`
	OK           bool     `json:"ok"`
	Contradicted bool     `json:"contradicted,omitempty"`
	Note         string   `json:"note,omitempty"`
}

// Status returns "ok", "contradicted" or "off", according to OK and Contradicted.
func (r *StudyRow) Status() string {
	switch {
	case !r.OK:
		return "off"
	case r.Contradicted:
		return "contradicted"
	}
	return "ok"
}

// Printed returns a pointer to a paper's printed figure.
func Printed(figure float64) *float64 { return &figure }

// Published returns a row that is OK if measured differs from a paper's figure by at most tolerance. runs is the
// number of runs, 0 for a formula.
func Published(name, quantity string, published, measured float64, runs int, tolerance float64, note string) StudyRow {
	row := Referred(name, quantity, published, measured, runs, tolerance, note)
	row.Published, row.Reference = row.Reference, nil
	return row
}

// Referred is Published for a figure that the paper does not contain.
func Referred(name, quantity string, reference, measured float64, runs int, tolerance float64, note string) StudyRow {
	measured, reference = float64(measured), float64(reference) // prevents fused multiply-subtract
	return StudyRow{
		Case: name, Quantity: quantity, Reference: &reference, Measured: measured, Runs: runs, Tolerance: tolerance,
		OK: math.Abs(measured-reference) <= tolerance+1e-9, Note: note,
	}
}

// Quotation is the text of a paper and its place: a section, table or proposition.
type Quotation struct{ Words, Place string }

// Contradicting marks a row of Referred as a contradiction of a paper. It adds the words of the paper and, unless
// nil, the paper's figure.
func (r StudyRow) Contradicting(published *float64, q Quotation) StudyRow {
	note := fmt.Sprintf("%q (%s)", q.Words, q.Place)
	if r.Note != "" {
		note += ": " + r.Note
	}
	r.Published, r.Contradicted, r.Note = published, true, note
	return r
}

// Within returns the number of runs whose value is at most limit.
func (s *Sample) Within(limit float64) (runs uint64) {
	for value, count := range s.Counts {
		if value <= limit {
			runs += count
		}
	}
	return runs
}

// Published returns a row for scale times the sample's mean.
func (s *Sample) Published(name, quantity string, published, scale, tolerance float64, note string) StudyRow {
	return s.deviating(Published(name, quantity, published, scale*s.Mean, s.Runs, tolerance, note), scale)
}

// Referred is Published for a figure that the paper does not contain.
func (s *Sample) Referred(name, quantity string, reference, scale, tolerance float64, note string) StudyRow {
	return s.deviating(Referred(name, quantity, reference, scale*s.Mean, s.Runs, tolerance, note), scale)
}

func (s *Sample) deviating(row StudyRow, scale float64) StudyRow {
	sd, se := scale*s.SD, scale*s.SE
	row.SD, row.SE = &sd, &se
	return row
}

// Tolerance returns 3.5 standard errors of the difference between the sample's mean and a reference's mean. The
// reference has the given number of runs and standard deviation sd. Tolerance uses the larger of both deviations,
// because the deviation of a short sample may be too small; the note states the deviation used.
func (s *Sample) Tolerance(sd float64, runs int) (tolerance float64, note string) {
	note = fmt.Sprintf("tolerance by the reference's sd %.3f, above the measured", sd)
	if s.SD > sd {
		note = fmt.Sprintf("tolerance by the measured sd, above the reference's %.3f", sd)
		sd = s.SD
	}
	return 3.5 * sd * math.Sqrt(1/float64(s.Runs)+1/float64(runs)), note
}

func (*Study) IsStudy() {}

// StudiesOf returns the studies of a network, nil for none.
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

// Part returns a named case. add requests the given number of runs and adds the rows of the case.
func Part(name string, runs int, add func(name string) error) StudyPart {
	return StudyPart{name, runs, add}
}

// RunParts runs the selected parts.
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

// Figures reads an embedded table of published figures. It panics on an error.
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

// Figure returns the number in a cell of a table. It panics on an error.
func Figure(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("a published figure: %v", err))
	}
	return value
}

// Differing returns the number of different cells of two tables. A cell in only one table counts.
func Differing(rows, others [][]string) (cells int) {
	for i := range max(len(rows), len(others)) {
		var left, right []string
		if i < len(rows) {
			left = rows[i]
		}
		if i < len(others) {
			right = others[i]
		}
		for j := range max(len(left), len(right)) {
			if j >= len(left) || j >= len(right) || left[j] != right[j] {
				cells++
			}
		}
	}
	return cells
}
