package tools

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/coverage"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/fabric/outcome"
	"starloom/internal/page"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/meaning"
)

// Found holds the lockstep results of all parts.
type Found struct {
	Brief   []*lockstep.Report
	Part    int // part with the earliest difference, otherwise 0
	Report  *lockstep.Report
	Differs []int
}

// Check is the JSON report of a scenario's check: the report of the first differing part (otherwise of the first
// part), and totals.
type Check struct {
	*lockstep.Report
	Scenario    string      `json:"scenario"`
	Path        string      `json:"path"`       // component of the report
	Components  int         `json:"components"` // number of components replaced by RTL
	CyclesAll   uint64      `json:"cycles_all"`
	InputsAll   uint64      `json:"input_cycles_all"`
	OutputsAll  int         `json:"outputs_all"`
	ComparedAll int         `json:"outputs_compared_all"`
	Differing   []Differing `json:"differing"` // components, earliest first
	Kinds       []Kind      `json:"kinds"`

	kinds kinds
	paths []string // of all components
}

// Differing is a component that differs from its model.
type Differing struct {
	Path      string `json:"path"`
	Cycle     uint64 `json:"cycle"` // number of the cycle, counted over the run and the exploration after it
	BeforeRun bool   `json:"before_run,omitempty"`
	PowerOn   uint64 `json:"power_on"`
	Explored  bool   `json:"explored,omitempty"` // found by exploration after the run's inputs
}

// NewCheck combines the results of a check.
func NewCheck(scenario string, parts []Part, found Found) *Check {
	c := &Check{
		Report: found.Report, Scenario: scenario, Path: parts[found.Part].Path, Components: len(parts),
		Differing: []Differing{},
	}
	for i, r := range found.Brief {
		c.paths = append(c.paths, parts[i].Path)
		c.kinds.add(&parts[i], r)
		c.CyclesAll += r.Cycles
		c.InputsAll += r.Inputs
		c.OutputsAll += r.Outputs
		c.ComparedAll += r.Compared
	}
	for _, i := range found.Differs {
		d := found.Brief[i].Divergence
		c.Differing = append(c.Differing,
			Differing{parts[i].Path, d.Found.Cycle, d.BeforeRun, d.Found.PowerOn, d.Found.Explored})
	}
	for _, kind := range c.kinds {
		c.Kinds = append(c.Kinds, kind.summary())
	}
	return c
}

func (c *Check) WriteJSON(w io.Writer) error {
	return input.WriteJSON(w, c)
}

// WriteText writes the verdict as text: the earliest difference and other components with a difference, or a
// description of the compared components.
func (c *Check) WriteText(w io.Writer) error {
	if len(c.Differing) > 0 {
		return c.writeDifference(w)
	}
	return c.writePass(w)
}

// differingShown is the maximum number of components named in a text in addition to the earliest.
const differingShown = 4

func (c *Check) writeDifference(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s in a run of %s\n", c.Path, c.Scenario); err != nil {
		return err
	}
	if err := c.Report.WriteText(w); err != nil || len(c.Differing) == 1 {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d components differ; the others:", len(c.Differing), c.Components)
	for i, d := range c.Differing[1:] {
		if i == differingShown {
			fmt.Fprintf(&b, " and %d more", len(c.Differing)-1-i)
			break
		}
		from := fmt.Sprintf("from cycle %d", d.Cycle)
		if d.BeforeRun {
			from = "from before cycle 0"
		}
		if d.Explored {
			from = "with random inputs"
		}
		if d.PowerOn > 1 {
			from += fmt.Sprintf(" with power-on %d", d.PowerOn)
		}
		fmt.Fprintf(&b, "%s %s %s", strings.Repeat(",", min(i, 1)), d.Path, from)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *Check) writePass(w io.Writer) error {
	times, n := "", c.kinds[0].report.PowerOns
	if n > 1 && !slices.ContainsFunc(c.kinds, func(k *kind) bool { return k.report.PowerOns != n }) {
		times = fmt.Sprintf(", %d times, each from a different power-on state", n)
	}
	explored := uint64(0)
	for _, k := range c.kinds {
		explored += k.explored
	}
	if explored > 0 {
		times += fmt.Sprintf(", then %s of random inputs from states that the run reached",
			cosim.Count(explored, "cycle"))
	}
	_, err := fmt.Fprintf(w, "pass: no difference found in %s of %s: %d of %s, %s of inputs%s",
		traces.Plural(c.Components, "component", "components"), c.Scenario,
		c.ComparedAll, cosim.Count(uint64(c.OutputsAll), "output"), cosim.Count(c.InputsAll, "cycle"), times)
	if err != nil {
		return err
	}
	return c.kinds.writeText(w)
}

// JUnit returns a test case for each component. The earliest difference has the text of the report.
func (c *Check) JUnit() (cases []outcome.JUnitCase, err error) {
	var text strings.Builder
	err = c.WriteText(&text)
	for _, path := range c.paths {
		one := outcome.JUnitCase{Name: path}
		if i := slices.IndexFunc(c.Differing, func(d Differing) bool { return d.Path == path }); i >= 0 {
			one.Failure = fmt.Sprintf("differs from its model in cycle %d", c.Differing[i].Cycle)
			if i == 0 {
				one.Failure, one.Details = c.Divergence.Text, text.String()
			}
		}
		cases = append(cases, one)
	}
	return cases, err
}

// Page returns the check as a page. subject is the command's argument; written lists the other output files.
func (c *Check) Page(subject string, written []outcome.OutputFile) *page.Page {
	p := page.Lockstep(c.Report, c.Path, subject, outcome.ShellQuote(c.Report.Map), written)
	p.Name = c.Scenario
	components := traces.Plural(c.Components, "component", "components")
	if len(c.Differing) == 0 {
		p.Summary = fmt.Sprintf("No difference found in %s: %d of %d outputs compared, on %d cycles of inputs.", components,
			c.ComparedAll, c.OutputsAll, c.InputsAll)
	} else {
		p.Summary = fmt.Sprintf("%d of %s differ from the model; first %s, in cycle %d of the run.%s", len(c.Differing),
			components, c.Path, c.Differing[0].Cycle, page.RightText(c.Report))
		t := &page.Table{Caption: "Differing components, earliest first.", Sorts: len(c.Differing) > 12,
			Columns: []page.Column{{Name: "component"}, {Name: "cycle", Number: true}, {Name: "power-on", Number: true}}}
		for _, d := range c.Differing {
			t.Rows = append(t.Rows, []string{d.Path, fmt.Sprint(d.Cycle), fmt.Sprint(d.PowerOn)})
		}
		p.Add("Components that differ", page.Block{Table: t})
	}
	t := &page.Table{Caption: "Checked RTL, by pin map.",
		Columns: []page.Column{{Name: "RTL"}, {Name: "model"}, {Name: "backend"}, {Name: "verdict"},
			{Name: "components", Number: true}, {Name: "cycles", Number: true}, {Name: "pin map"}}}
	for i := range c.Kinds {
		k := &c.Kinds[i]
		t.Rows = append(t.Rows, []string{k.Top, k.Model, k.Backend, k.Verdict, fmt.Sprint(k.Components),
			fmt.Sprint(k.Cycles), k.Map})
	}
	p.Add("RTL of the scenario", page.Block{Table: t})
	return p
}

//go:embed metrics.yaml
var metrics string

// Meanings returns the meanings of the keys of a lockstep report.
func Meanings() []meaning.Group { return meaning.Must(metrics) }

// Case holds the outputs for the case of a lockstep report; nil writers are skipped.
type Case struct {
	Wave, GTKW, Surfer io.Writer // waveform, save file for GTKWave, command file for Surfer
	WavePath, GTKWPath string    // paths written into the save file
	Stimulus           io.Writer
	Report             io.Writer
	Coverage           io.Writer // coverage in CoverageForm
	CoverageForm       coverage.Form
}

// Write writes the case of a report.
func (c *Case) Write(report *lockstep.Report) error {
	if c.Wave != nil {
		save, err := report.Shown.WriteVCD(c.Wave, []string{vcdComment(report.Title())})
		if err != nil {
			return err
		}
		if c.GTKW != nil {
			save.Path, save.VCD = c.GTKWPath, c.WavePath
			if err := save.Write(c.GTKW); err != nil {
				return err
			}
		}
		if c.Surfer != nil {
			if err := save.WriteSurfer(c.Surfer); err != nil {
				return err
			}
		}
	}
	if c.Stimulus != nil {
		if report.Shown.Stimulus == nil {
			return input.Mistake("--save", "the case has too many cycles to record",
				"leave --save out, or give fewer --cycles")
		}
		if err := report.Shown.Stimulus.WriteCSV(c.Stimulus); err != nil {
			return err
		}
	}
	if c.Coverage != nil {
		if err := report.Covered.Write(c.Coverage, c.CoverageForm); err != nil {
			return err
		}
	}
	if c.Report != nil {
		return report.WriteJSON(c.Report)
	}
	return nil
}

func vcdComment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '$' {
			return '?'
		}
		return r
	}, text)
}

// Part is a checked component of a machine.
type Part struct {
	Path  string
	Map   *pinmap.Map
	Check string // command that checks the RTL with other inputs
}

// Kind is the check of the RTL of one pin map. Its outputs are those of one component.
type Kind struct {
	Map        string `json:"map,omitempty"`
	Model      string `json:"model"`
	Top        string `json:"top"`
	Backend    string `json:"backend"`
	Verdict    string `json:"verdict"` // fail if any component fails
	Components int    `json:"components"`
	Cycles     uint64 `json:"cycles"`
	lockstep.Extent
	Warnings    []cosim.Warning `json:"warnings"`
	Unexercised []lockstep.Gap  `json:"unexercised"`
}

type kind struct {
	pins     *pinmap.Map
	check    string
	count    int
	cycles   uint64
	inputs   uint64
	explored uint64
	verdict  string
	report   *lockstep.Report   // report of the first component
	coverage *lockstep.Coverage // coverage of all components
	contract *lockstep.Contract // contract of all components; nil without conditions
}

func (k *kind) summary() Kind {
	r := k.report
	extent := r.Extent
	extent.Inputs, extent.Contract = k.inputs, k.contract
	return Kind{r.Map, r.Model, r.Top, r.Backend, k.verdict, k.count, k.cycles, extent, r.Warnings, k.coverage.Gaps()}
}

// kinds are sorted by their first components.
type kinds []*kind

func (k *kinds) add(part *Part, report *lockstep.Report) {
	at := slices.IndexFunc(*k, func(kind *kind) bool { return kind.pins == part.Map })
	if at < 0 {
		*k = append(*k, &kind{
			part.Map, part.Check, 1, report.Cycles, report.Inputs, report.ExploredCycles(),
			report.Verdict, report, report.Coverage,
			report.Contract.Clone(),
		})
		return
	}
	kind := (*k)[at]
	kind.count++
	kind.cycles += report.Cycles
	kind.inputs += report.Inputs
	kind.explored += report.ExploredCycles()
	if report.Divergence != nil {
		kind.verdict = report.Verdict
	}
	kind.coverage.Add(report.Coverage)
	kind.contract.Add(report.Contract)
}

// writeText completes the line of the verdict with warnings, and lists the reservations of each kind, such as untried
// inputs.
func (k kinds) writeText(w io.Writer) error {
	var b strings.Builder
	var warnings []cosim.Warning
	for _, kind := range k {
		warnings = append(warnings, kind.report.Warnings...)
	}
	cosim.WriteWarnings(&b, warnings)
	for _, kind := range k {
		if len(kind.report.Tied) > 0 {
			fmt.Fprintf(&b, "%d %s: %s\n", kind.count, kind.report.Top, pinmap.TiedText(kind.report.Tied))
		}
		for _, line := range kind.contract.Lines() {
			fmt.Fprintf(&b, "%d %s: %s\n", kind.count, kind.report.Top, line)
		}
	}
	said := false
	for _, kind := range k {
		gaps := kind.coverage.Gaps()
		if len(gaps) == 0 {
			continue
		}
		if !said {
			b.WriteString("inputs never exercised, so mistakes there are not detected; a check of the map alone exercises " +
				"more:\n")
			said = true
		}
		fmt.Fprintf(&b, "  %d %s: %s\n    %s\n", kind.count, kind.report.Top, lockstep.GapsText(gaps), kind.check)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
