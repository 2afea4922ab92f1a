package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"starloom/fabric/outcome"
	"starloom/traces/input"
)

// tables of a sweep: files in the sweep's folder
const (
	ResultsCSV   = "results.csv"   // a row per point
	RunsCSV      = "runs.csv"      // a row per run
	ReportsJSONL = "reports.jsonl" // a report per run
	LimitsCSV    = "limits.csv"    // changes of a bisected axis
)

// WriteLimits writes the table of a bisected axis.
func (f *Folder) WriteLimits(rows [][]string) error {
	return f.whole(filepath.Join(f.Path, LimitsCSV),
		func(w io.Writer) error { return input.NewCSVWriter(w).WriteAll(rows) })
}

// Entry is a point in the tables.
type Entry struct {
	Labels []string
	Key    string
}

// Tables describes the tables of a sweep's stored runs.
type Tables struct {
	Axes    []string
	UnitOf  map[string]string // by axis: a figure with the same unit
	Entries []Entry
	Wanted  func(i int, run *Record) bool // reports whether the sweep includes a run of point i
	Each    func(i int, runs []Record)    // called with the runs of each point; nil for no calls
}

// Write writes all three tables. Their content depends only on the runs, not on the processes, the order or the
// number of calls that produced them.
func (f *Folder) Write(t *Tables) error {
	w := &tableWriter{Tables: t}
	if err := w.findColumns(f); err != nil {
		return err
	}
	return f.whole(filepath.Join(f.Path, ResultsCSV), func(results io.Writer) error {
		return f.whole(filepath.Join(f.Path, RunsCSV), func(runs io.Writer) error {
			return f.whole(filepath.Join(f.Path, ReportsJSONL), func(reports io.Writer) error {
				return w.write(f, input.NewCSVWriter(results), input.NewCSVWriter(runs), reports)
			})
		})
	})
}

type tableWriter struct {
	*Tables
	columns  []column
	index    map[string]int
	permuted bool
}

func (w *tableWriter) findColumns(f *Folder) error {
	var names []string
	numeric := map[string]bool{}
	for i := range w.Entries {
		heads, err := f.heads(w.Entries[i].Key)
		if err != nil {
			return err
		}
		for _, h := range heads {
			names = union(names, h.Figures)
			w.permuted = w.permuted || h.Permuted
			for k, name := range h.Figures {
				numeric[name] = numeric[name] || h.Numeric[k]
			}
		}
	}
	for _, axis := range w.Axes {
		if figure := w.UnitOf[axis]; figure != "" && slices.Contains(names, figure+UnitEnding) {
			names = append(names, axis+UnitEnding)
		}
	}
	w.index = map[string]int{}
	for k, name := range names {
		w.index[name] = k
		w.columns = append(w.columns, column{name: name, numeric: numeric[name]})
	}
	return nil
}

// number of points read ahead; points above longBytes are read one at a time
const (
	ahead     = 4
	longBytes = 32 << 20
)

// each calls take for each point with its runs, in order. Several goroutines read and decode files.
func (w *tableWriter) each(f *Folder, take func(i int, runs []Record) error) error {
	type read struct {
		runs []Record
		err  error
	}
	var slots [ahead]chan read
	now := func(i int) read {
		runs, err := f.runs(w.Entries[i].Key, true)
		runs = slices.DeleteFunc(runs, func(r Record) bool { return !w.Wanted(i, &r) })
		for k := range runs {
			runs[k].addUnits(w.UnitOf)
		}
		return read{runs, err}
	}
	begin := func(i int) {
		if i < len(w.Entries) && f.bytes(w.Entries[i].Key) <= longBytes {
			into := make(chan read, 1)
			slots[i%ahead] = into
			go func() { into <- now(i) }()
		}
	}
	for i := range ahead {
		begin(i)
	}
	for i := range w.Entries {
		var x read
		if from := slots[i%ahead]; from != nil {
			x = <-from
		} else {
			x = now(i)
		}
		slots[i%ahead] = nil
		begin(i + ahead)
		if x.err == nil {
			x.err = take(i, x.runs)
		}
		if x.err != nil {
			return x.err
		}
	}
	return nil
}

func (r *Record) addUnits(of map[string]string) {
	for axis, figure := range of {
		if at := slices.Index(r.Figures, figure+UnitEnding); at >= 0 {
			r.Figures, r.Values = append(slices.Clip(r.Figures), axis+UnitEnding), append(slices.Clip(r.Values), r.Values[at])
		}
	}
}

func (w *tableWriter) write(f *Folder, results, runs *input.CSVWriter, reports io.Writer) error {
	if err := errors.Join(results.Write(w.resultsHead()), runs.Write(w.runsHead())); err != nil {
		return err
	}
	err := w.each(f, func(i int, records []Record) error {
		if w.Each != nil {
			w.Each(i, records)
		}
		return w.point(&w.Entries[i], records, results, runs, reports)
	})
	if err != nil {
		return err
	}
	results.Flush()
	runs.Flush()
	return errors.Join(results.Error(), runs.Error())
}

func (w *tableWriter) resultsHead() []string {
	head := append(slices.Clone(w.Axes), "runs", "failed")
	for i := range w.columns {
		switch c := &w.columns[i]; {
		case c.numeric:
			head = append(head, c.name+".mean", c.name+".sd", c.name+".low", c.name+".high")
		case c.isUnit():
			head = append(head, c.name)
		}
	}
	return head
}

func (w *tableWriter) runsHead() []string {
	head := append(slices.Clone(w.Axes), "seed")
	if w.permuted {
		head = append(head, "permutation")
	}
	head = append(head, "verdict", "rule", "violations")
	for i := range w.columns {
		head = append(head, w.columns[i].name)
	}
	return append(head, "digest")
}

func (w *tableWriter) point(e *Entry, records []Record, results, runs *input.CSVWriter, reports io.Writer) error {
	for i := range w.columns {
		w.columns[i].values, w.columns[i].unit = outcome.Histogram{}, ""
	}
	failed := 0
	for i := range records {
		r := &records[i]
		passed := r.Verdict == outcome.VerdictPass
		if !passed {
			failed++
		}
		row := append(slices.Clone(e.Labels), strconv.FormatUint(r.Seed, 10))
		if w.permuted {
			row = append(row, strconv.FormatUint(r.number(), 10))
		}
		row = append(row, string(r.Verdict), r.Rule, strconv.FormatUint(r.Violations, 10))
		cells := make([]string, len(w.columns))
		for k, name := range r.Figures {
			if at, ok := w.index[name]; ok { // another process may just have added a missing figure
				cells[at] = cell(r.Values[k])
				w.columns[at].add(r.Values[k], passed)
			}
		}
		if err := runs.Write(append(append(row, cells...), r.Digest)); err != nil {
			return err
		}
		if err := w.report(e, r, reports); err != nil {
			return err
		}
	}
	row := append(slices.Clone(e.Labels), strconv.Itoa(len(records)), strconv.Itoa(failed))
	for i := range w.columns {
		switch c := &w.columns[i]; {
		case c.numeric:
			cells := c.cells()
			row = append(row, cells[:]...)
		case c.isUnit():
			row = append(row, c.unit)
		}
	}
	return results.Write(row)
}

func (w *tableWriter) report(e *Entry, r *Record, to io.Writer) error {
	line := []byte(`{"point":{`)
	for i, name := range w.Axes {
		if i > 0 {
			line = append(line, ',')
		}
		line = strconv.AppendQuote(line, name)
		line = append(append(line, ':'), jsonOf(e.Labels[i])...)
	}
	if r.Permutation != nil {
		line = fmt.Appendf(line, `},"permutation":%d`, *r.Permutation)
	} else {
		line = append(line, '}')
	}
	line = append(append(append(line, `,"report":`...), r.Report...), "}\n"...)
	_, err := to.Write(line)
	return err
}

func jsonOf(label string) []byte {
	var value any
	if json.Unmarshal([]byte(label), &value) == nil {
		switch value.(type) {
		case float64, bool:
			return []byte(label)
		}
	}
	text, err := json.Marshal(label)
	if err != nil {
		panic(err)
	}
	return text
}

const confidence = 0.95

type column struct {
	name    string
	numeric bool // the figure is a number in some run
	values  outcome.Histogram
	unit    string // unit of a point's runs, in a column of units
}

// UnitEnding is the suffix of a column with the unit of a figure whose unit differs between networks: accepted.unit.
const UnitEnding = ".unit"

func (c *column) isUnit() bool { return strings.HasSuffix(c.name, UnitEnding) }

// add adds the value of a run. Finishing times count only for passing runs.
func (c *column) add(value any, passed bool) {
	if unit, ok := value.(string); ok && c.isUnit() {
		c.unit = unit // all runs of a point have the same unit
	}
	text, ok := value.(json.Number)
	if !ok || !passed && slices.Contains(outcome.FinishingTimes, c.name) {
		return
	}
	if x, err := strconv.ParseFloat(string(text), 64); err == nil {
		c.values.Add(x)
	}
}

// cells returns the mean, the standard deviation, and both ends of the mean's confidence interval; "" with too few
// runs.
func (c *column) cells() [4]string {
	s := c.values.Statistic(c.name)
	switch {
	case s.Mean == nil:
		return [4]string{}
	case s.SD == nil:
		return [4]string{outcome.ExactFloat(*s.Mean)}
	}
	half := float64(studentT(s.Runs-1) * *s.SE)
	return [4]string{outcome.ExactFloat(*s.Mean), outcome.ExactFloat(*s.SD), outcome.ExactFloat(*s.Mean - half),
		outcome.ExactFloat(*s.Mean + half)}
}

// studentT returns the quantile of Student's t distribution for the confidence level. The result is rounded, because
// its last digits depend on fused multiply-add, which not all processors have.
func studentT(degrees uint64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile((1 + confidence) / 2)
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(t, 'e', 9, 64), 64)
	if err != nil || math.IsNaN(rounded) {
		panic(fmt.Sprintf("sweep: the quantile for %d degrees of freedom is %v", degrees, t))
	}
	return rounded
}

func cell(value any) string {
	switch v := value.(type) {
	case json.Number:
		if x, err := strconv.ParseFloat(string(v), 64); err == nil && !integer(string(v)) {
			return outcome.ExactFloat(x)
		}
		return string(v)
	case string:
		return v
	}
	return ""
}

func integer(text string) bool {
	for _, c := range text {
		if c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
