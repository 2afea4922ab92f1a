package tools

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
)

// Part is a component of a machine that was checked.
type Part struct {
	Path  string
	Map   *pinmap.Map
	Check string // the command that checks the RTL with other inputs
}

// Kind is what was checked of the RTL of one pin map; its outputs are those of one component.
type Kind struct {
	Map        string `json:"map,omitempty"`
	Model      string `json:"model"`
	Top        string `json:"top"`
	Backend    string `json:"backend"`
	Verdict    string `json:"verdict"` // fail if one component fails
	Components int    `json:"components"`
	Cycles     uint64 `json:"cycles"`
	lockstep.Extent
	Warnings    []cosim.Warning `json:"warnings"`
	Unexercised []lockstep.Gap  `json:"unexercised"`
}

// kind is RTL that a scenario uses, once or many times.
type kind struct {
	pins     *pinmap.Map
	check    string
	count    int
	cycles   uint64
	inputs   uint64
	explored uint64             // cycles of phases after them
	verdict  string             // fail if that of one is
	report   *lockstep.Report   // of the first
	coverage *lockstep.Coverage // of all
	contract *lockstep.Contract // of all; nil without conditions
}

func (k *kind) summary() Kind {
	r := k.report
	extent := r.Extent
	extent.Inputs, extent.Contract = k.inputs, k.contract
	return Kind{r.Map, r.Model, r.Top, r.Backend, k.verdict, k.count, k.cycles, extent, r.Warnings, k.coverage.Gaps()}
}

// kinds are in the order of their first components.
type kinds []*kind

func (k *kinds) add(part *Part, report *lockstep.Report) {
	at := slices.IndexFunc(*k, func(kind *kind) bool { return kind.pins == part.Map })
	if at < 0 {
		*k = append(*k, &kind{
			part.Map, part.Check, 1, report.Cycles, report.Inputs, report.ExploredCycles(), report.Verdict, report, report.Coverage,
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

// writeText ends the line of the verdict with its reservations: warnings, and untried inputs of a kind's components.
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
			b.WriteString("inputs never exercised, so a mistake there does not show; a check of the map alone has more:\n")
			said = true
		}
		fmt.Fprintf(&b, "  %d %s: %s\n    %s\n", kind.count, kind.report.Top, lockstep.GapsText(gaps), kind.check)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
