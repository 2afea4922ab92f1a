package outcome

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"starloom/fabric"
	"starloom/traces"
)

// The text form shows this many violations in all and of one rule, so that a rule
// that breaks everywhere does not hide the others; the JSON form has more.
const (
	violationsShown        = 10
	violationsShownPerRule = 3
	framesShown            = 8 // functions of a backtrace
)

// WriteText writes what a person wants to know: the verdict, why, how far the
// run came, its figures, and the files with the command that opens each.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  %s\n", strings.ToUpper(string(r.Verdict)), Printable(r.Scenario))
	shown, ofRule := uint64(0), map[string]int{}
	for _, v := range causesFirst(r.Violations) {
		if ofRule[v.Rule]++; ofRule[v.Rule] > violationsShownPerRule || shown == violationsShown {
			continue
		}
		shown++
		fmt.Fprintf(&b, "  %s: %s: %s%s\n", v.Rule, v.Where(), Printable(v.Message), causeText(v.Cause))
		v.writeBacktrace(&b, framesShown)
	}
	if more := r.ViolationsTotal - shown; more > 0 {
		fmt.Fprintf(&b, "  and %d more; --json lists the first %d\n", more, ViolationsMax)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  note: %s\n", Printable(note))
	}
	rtlPassed(&b, r.Verdict, r.RTL, r.Aside.RTLCheck)
	for _, file := range r.Files {
		if file.Note != "" {
			fmt.Fprintf(&b, "  note: %s %s\n", Printable(cmp.Or(file.Path, file.Kind)), file.Note)
		}
	}
	b.WriteByte('\n')

	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name, value string) { fmt.Fprintf(table, "%s\t%s\n", name, value) }
	row("slots", strconv.FormatUint(r.Slots, 10))
	row("cycles", strconv.FormatUint(r.Cycles, 10))
	for _, metric := range r.Metrics {
		if lined, ok := metric.Value.(fabric.Lined); ok {
			rows(row, metric.Name, lined.Lines())
			continue
		}
		if text := formatMetric(metric.Value); text != "" { // a list may be empty
			row(metric.Name, text)
		}
	}
	row("frames", r.Frames.text())
	for i := range r.Faults {
		row("fault "+r.Faults[i].Kind, r.Faults[i].text())
	}
	if r.Without != nil {
		row("without faults", r.Without.text())
	}
	row("rules", strings.Join(r.Rules, ", "))
	row("firmware", firmwareText(r.Firmware))
	if mode := modeText(&r.Firmware); mode != "" {
		row("mode", mode)
	}
	r.Firmware.handlerRows(row)
	if len(r.RTL) > 0 {
		row("rtl", rtlText(r.RTL))
	}
	row("engine", r.Engine)
	row("seed", strconv.FormatUint(r.Seed, 10))
	row("digest", r.Digest+"  "+digestCovers)
	if err := table.Flush(); err != nil {
		return err
	}
	writeFiles(&b, r.Files)
	_, err := w.Write(b.Bytes())
	return err
}

// causesFirst is violations by cycle, but for those that handlers themselves have made: what became of
// packets may be dated before them, and follows from them. Other forms of the report are by cycle alone.
func causesFirst(violations []Violation) []Violation {
	of := func(v Violation) int {
		if k := slices.Index([]string{fabric.RuleTrap, fabric.RuleFail, fabric.RuleIllegalSend, fabric.RuleIllegalListen, fabric.RuleMeetsBudget}, v.Rule); k >= 0 {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(violations), func(a, b Violation) int { return of(a) - of(b) })
}

// text lists what the frames of a run became.
func (f Frames) text() string {
	return fmt.Sprintf("%d sent, %d delivered, %d collided, %d crc, %d overflow, %d unheard, %d faulted, %d blocked",
		f.Sent, f.Delivered, f.Collided, f.CRC, f.Overflow, f.Unheard, f.Faulted, f.Blocked)
}

// rows writes a figure line by line, and only the head of a long one.
func rows(row func(name, value string), name string, lines []string) {
	for i, line := range lines {
		if i == listedMax {
			row("", fmt.Sprintf("... and %d more; --json has all", len(lines)-i))
			return
		}
		row(name, Printable(line))
		name = ""
	}
}

// firmwareText says which firmware ran.
func firmwareText(f FirmwareReport) string {
	text := Printable(f.Image)
	if len(f.SHA256) >= 12 {
		text += ", sha256 " + f.SHA256[:12]
	}
	if f.Traps > 0 {
		text += fmt.Sprintf(", %d trapped", f.Traps)
	}
	if f.BytesPerProcessor > 0 {
		text += fmt.Sprintf(", %d bytes for each processor that sleeps", f.BytesPerProcessor)
	}
	return text
}

// handlerRows says what the handlers took, if that was measured.
func (f *FirmwareReport) handlerRows(row func(name, value string)) {
	if f.Cycles == nil {
		return
	}
	row("handlers", fmt.Sprintf("slot, cycles (%s): %s", f.CPU, f.Cycles.text()))
	if f.Cycles.Calls > 0 {
		row("", f.Cycles.slowestText())
	}
	if w := f.Cycles.Worst; w != nil && w.Profile != nil {
		rows(row, "longest call", w.Profile.rows())
	}
	start := "start: " + f.StartCycles.text()
	if f.Overruns != nil {
		start += "; it has no budget"
	}
	row("", start)
	if f.Overruns != nil {
		row("", fmt.Sprintf("budget %s: %s", traces.Plural(f.BudgetCycles, "cycle", "cycles"), traces.Plural(*f.Overruns, "overrun", "overruns")))
	}
}

// modeText says how processors share instances, "" if the report does not know.
func modeText(f *FirmwareReport) string {
	if f.Trusted {
		return f.Mode + ": on trust, a processor's firmware writes only its own records"
	}
	return f.Mode
}

// Where says when and where a rule broke.
func (v *Violation) Where() string {
	text := fmt.Sprintf("cycle %d, slot %d", v.Cycle, v.Slot)
	if v.Path != "" {
		text += ", " + v.Path
	}
	return text
}

// writeFiles lists the files that were written, each with what opens it.
func writeFiles(b *bytes.Buffer, files []OutputFile) {
	files = slices.DeleteFunc(slices.Clone(files), func(f OutputFile) bool { return f.Path == "-" || f.Path == "" })
	if len(files) == 0 {
		return
	}
	path := map[string]string{}
	for _, file := range files {
		if !file.Stream {
			path[file.Kind] = ShellQuote(file.Path)
		}
	}
	b.WriteByte('\n')
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, file := range files {
		opener := ""
		switch {
		case file.Stream:
		case file.Kind == "vcd":
			// The .gtkw file opens the waveform with the signals arranged.
			if path["gtkw"] == "" {
				opener = "gtkwave " + path["vcd"]
			}
		case file.Kind == "gtkw":
			opener = "gtkwave " + path["gtkw"]
		case file.Kind == "pcapng":
			opener = "tshark -r " + path["pcapng"]
			if path["lua"] != "" {
				opener = "tshark -X lua_script:" + path["lua"] + " -r " + path["pcapng"]
			}
		}
		line := file.Kind + "\t" + Printable(file.Path)
		if opener != "" {
			line += "\topen: " + opener
		}
		fmt.Fprintln(table, line)
	}
	table.Flush() // a bytes.Buffer takes everything
}

// listedMax is how many entries of a list the text shows.
const listedMax = 128

// formatMetric writes a figure as JSON does, but floats short, results of firmware as
// processor.word=value, what is not known as a dash, and lists without brackets, and only the
// head of long ones.
func formatMetric(value any) string {
	if f, ok := value.(float64); ok {
		return formatFloat(f)
	}
	if list := reflect.ValueOf(value); list.Kind() == reflect.Slice && list.Len() > listedMax {
		return fmt.Sprintf("%s ... and %d more; --json has all", formatMetric(list.Slice(0, listedMax).Interface()), list.Len()-listedMax)
	}
	if results, ok := value.([][3]uint64); ok {
		words := make([]string, len(results))
		for i, x := range results {
			words[i] = fmt.Sprintf("%d.%d=%d", x[0], x[1], x[2])
		}
		return strings.Join(words, " ")
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.NewReplacer("[", "", "]", "", ",", " ", `"`, "", "null", "-").Replace(string(data))
}

// formatFloat writes a whole number in full, and of others at most six digits that count.
func formatFloat(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// Printable replaces what could move a terminal's cursor.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// writeBacktrace writes the innermost functions of a backtrace, a line for each.
func (v *Violation) writeBacktrace(w io.Writer, most int) {
	for k, frame := range v.Backtrace {
		if k == most {
			fmt.Fprintf(w, "    and %s more; --json has all\n", traces.Plural(len(v.Backtrace)-k, "caller", "callers"))
			return
		}
		fmt.Fprintf(w, "    in %s\n", Printable(frame.String()))
	}
}

// ShellQuote quotes a path if a shell would take it apart.
func ShellQuote(path string) string {
	const plain = "/._-+=:@%,"
	safe := path != "" && !strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(plain, r)
	})
	if safe {
		return path
	}
	return "'" + strings.ReplaceAll(Printable(path), "'", `'\''`) + "'"
}

// The parts of a JUnit file that continuous integration servers read.
type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the report for continuous integration: one test suite, one
// test case per rule; a broken rule's failure lists its violations, with backtraces.
func (r *Report) WriteJUnit(w io.Writer) error {
	rules := slices.Clone(r.Rules)
	broken := map[string][]*Violation{}
	for i := range r.Violations {
		v := &r.Violations[i]
		if len(broken[v.Rule]) == 0 && !slices.Contains(rules, v.Rule) {
			rules = append(rules, v.Rule)
		}
		broken[v.Rule] = append(broken[v.Rule], v)
	}
	suite := junitSuite{Name: r.Scenario}
	for _, rule := range rules {
		testCase := junitCase{Class: r.Scenario, Name: rule}
		if violations := broken[rule]; len(violations) > 0 {
			var text strings.Builder
			for _, v := range violations {
				fmt.Fprintf(&text, "%s: %s%s\n", v.Where(), v.Message, causeText(v.Cause))
				v.writeBacktrace(&text, len(v.Backtrace))
			}
			first := violations[0]
			testCase.Failure = &junitFailure{
				Message: fmt.Sprintf("%s: %s", first.Where(), first.Message),
				Text:    text.String(),
			}
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, testCase)
	}
	return suite.write(w)
}

// write writes the suite as a file of its own.
func (s *junitSuite) write(w io.Writer) error {
	s.Tests = len(s.Cases)
	data, err := xml.MarshalIndent(junitSuites{Suite: *s}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	return err
}

// WriteText writes the rows as an aligned table and the verdict below it.
func (r *StudyReport) WriteText(w io.Writer) error {
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "case\tquantity\tpublished\treference\tmeasured\tsd\tse\truns\ttolerance\tstatus\tnote")
	statuses := map[string]int{}
	for _, row := range r.Rows {
		status := row.Status()
		statuses[status]++
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", row.Case, row.Quantity,
			orDash(row.Published), orDash(row.Reference), formatFloat(row.Measured), orDash(row.SD), orDash(row.SE), row.Runs, formatFloat(row.Tolerance), status, row.Note)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	// An empty last column leaves blanks at the ends of lines.
	var out bytes.Buffer
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	for i, note := range r.Notes {
		if i == 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "note: %s\n", note)
	}
	writeFiles(&out, r.Files)
	fmt.Fprintf(&out, "\n%s  study %s: %d of %d rows within tolerance", strings.ToUpper(string(r.Verdict)), r.Study, statuses["ok"], len(r.Rows))
	if n := statuses["contradicted"]; n > 0 {
		fmt.Fprintf(&out, ", %d %s the publication", n, map[bool]string{true: "contradicts", false: "contradict"}[n == 1])
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
}

// orDash writes a figure that there may not be.
func orDash(f *float64) string {
	if f == nil {
		return "-"
	}
	return formatFloat(*f)
}

// WriteCSV writes a table with a row for each figure, with all digits.
func (r *StudyReport) WriteCSV(w io.Writer) error {
	exact := func(f *float64) string {
		if f == nil {
			return ""
		}
		return ExactFloat(*f)
	}
	rows := [][]string{{"case", "quantity", "published", "reference", "measured", "sd", "se", "runs", "tolerance", "ok", "contradicted", "note"}}
	for _, x := range r.Rows {
		rows = append(rows, []string{x.Case, x.Quantity, exact(x.Published), exact(x.Reference), ExactFloat(x.Measured), exact(x.SD), exact(x.SE),
			strconv.Itoa(x.Runs), ExactFloat(x.Tolerance), strconv.FormatBool(x.OK), strconv.FormatBool(x.Contradicted), x.Note})
	}
	return csv.NewWriter(w).WriteAll(rows)
}
