package outcome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"starloom/traces"
	"starloom/traces/input"
)

// ExploredSweep holds the verdicts at the points of a sweep. Its JSON form is stable and versioned.
type ExploredSweep struct {
	Schema int             `json:"schema"`
	Name   string          `json:"name"`
	Axes   []string        `json:"axes"`
	Points []ExploredPoint `json:"points"`
	Total  int             `json:"points_total"` // number of points, including missing ones

	Provenance *traces.Provenance `json:"provenance,omitempty"`
}

// ExploredPoint is the verdict at a point.
type ExploredPoint struct {
	Labels []string  `json:"labels"` // values, in the order of the axes
	Report *Explored `json:"report"`
}

// name formats a point as load=0.15 arbiter=fixed.
func (s *ExploredSweep) name(p *ExploredPoint) string {
	words := make([]string, len(s.Axes))
	for i, axis := range s.Axes {
		words[i] = axis + "=" + p.Labels[i]
	}
	return strings.Join(words, " ")
}

// Worst returns the worst verdict. Fails is worse than Open, and Open is worse than Holds. Of open verdicts, a
// verdict without a complete slot is worse. slots is the number of slots of the point.
func (s *ExploredSweep) Worst() (verdict ExploredVerdict, slots uint32) {
	rank := func(r *Explored) int {
		return map[ExploredVerdict]int{Holds: 0, Open: 1, Fails: 3}[r.Verdict] + map[bool]int{true: 1}[r.Verdict == Open &&
			r.Slots == 0]
	}
	verdict = Holds
	for i, worst := 0, 0; i < len(s.Points); i++ {
		if r := s.Points[i].Report; rank(r) > worst {
			worst, verdict, slots = rank(r), r.Verdict, r.Slots
		}
	}
	return verdict, slots
}

// ExploredColumns are the columns of the table after the axes.
var ExploredColumns = []string{"seed", "verdict", "holds_for", "states", "steps", "slots", "faults", "rule"}

// rows returns the table: a header row, then a row for each point.
func (s *ExploredSweep) rows() (rows [][]string) {
	raised := slices.ContainsFunc(s.Points, func(p ExploredPoint) bool { return len(p.Report.Raised) > 0 })
	columns := slices.Clone(ExploredColumns)
	if !raised {
		columns = slices.DeleteFunc(columns, func(name string) bool { return name == "holds_for" })
	}
	rows = append(rows, slices.Concat(s.Axes, columns))
	for i := range s.Points {
		r := s.Points[i].Report
		row := append(slices.Clone(s.Points[i].Labels), strconv.FormatUint(r.Seed, 10), strings.ToUpper(string(r.Verdict)))
		if raised {
			row = append(row, r.holdsFor())
		}
		row = append(row, strconv.Itoa(r.Counts.States), strconv.FormatUint(r.Counts.Transitions, 10),
			strconv.FormatUint(uint64(r.Slots), 10))
		faults, rule := "", ""
		if r.Verdict == Fails {
			faults, rule = strconv.Itoa(len(r.Schedule)), r.Violations[0].Rule
		}
		rows = append(rows, append(row, faults, rule))
	}
	return rows
}

// holdsFor returns the largest bounds that hold, "" for none.
func (d *ExploredDetails) holdsFor() string {
	for _, x := range slices.Backward(d.Raised) {
		if x.Verdict == Holds {
			return x.Text()
		}
	}
	return ""
}

// Rows returns the table as text: a header row, then a row for each point. A missing value is "-".
func (s *ExploredSweep) Rows() [][]string {
	rows := s.rows()
	for _, row := range rows {
		for i, cell := range row {
			if row[i] = Printable(cell); cell == "" {
				row[i] = "-"
			}
		}
	}
	return rows
}

// Sentence counts the verdicts.
func (s *ExploredSweep) Sentence() string {
	count := map[ExploredVerdict]int{}
	for i := range s.Points {
		count[s.Points[i].Report.Verdict]++
	}
	text := traces.Plural(s.Total, "point", "points")
	for _, v := range []ExploredVerdict{Holds, Fails, Open} {
		if count[v] > 0 {
			text += fmt.Sprintf(", %d %s", count[v], strings.ToUpper(string(v)))
		}
	}
	if left := s.Total - len(s.Points); left > 0 {
		text += fmt.Sprintf(", %d not explored", left)
	}
	return text
}

// pointsTold is the maximum number of points with a sentence in the text.
const pointsTold = 20

// WriteText writes the table, and a sentence for each of the first points that fail or are open.
func (s *ExploredSweep) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n\n", Printable(s.Name), s.Sentence())
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range s.Rows() {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	_ = t.Flush() // a buffer takes all
	told := 0
	for i := range s.Points {
		r := s.Points[i].Report
		if r.Verdict == Holds {
			continue
		}
		if told++; told > pointsTold {
			fmt.Fprintf(&b, "\nother points have no lines here; --json has their schedules\n")
			break
		}
		fmt.Fprintf(&b, "\n%s: %s: %s\n", Printable(s.name(&s.Points[i])), strings.ToUpper(string(r.Verdict)), r.Sentence())
		if r.Verdict == Fails && r.Repeat != "" {
			fmt.Fprintf(&b, "  repeat       %s\n", r.Repeat)
		} else if r.Verdict == Fails {
			b.WriteString(r.shortest())
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// WriteJSON writes all verdicts, with the whole report of each point.
func (s *ExploredSweep) WriteJSON(w io.Writer) error { return WriteJSON(w, s) }

// WriteJSONL writes the report of each point on a line, with the point's labels.
func (s *ExploredSweep) WriteJSONL(w io.Writer) error {
	for i := range s.Points {
		line, err := json.Marshal(&s.Points[i])
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV writes a row for each point.
func (s *ExploredSweep) WriteCSV(w io.Writer) error { return input.NewCSVWriter(w).WriteAll(s.rows()) }

// WriteJUnit writes a test case for each point. An open point is a skipped case.
func (s *ExploredSweep) WriteJUnit(w io.Writer, took time.Duration) error {
	var cases []JUnitCase
	for i := range s.Points {
		r := s.Points[i].Report
		c, err := r.junit(s.name(&s.Points[i]))
		if err != nil {
			return err
		}
		cases = append(cases, c)
	}
	return WriteJUnit(w, s.Name, took, cases)
}
