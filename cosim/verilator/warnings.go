package verilator

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
)

// weighty are the warnings of Verilator that say that it simulates something else than
// what the text, or another tool, makes of it. Style, speed and widths are not here.
var weighty = []string{
	"ALWCOMBORDER", "ASSIGNDLY", "BLKANDNBLK", "CASEINCOMPLETE", "CASEOVERLAP", "CASEWITHX", "CASEX", "COMBDLY", "CONTASSREG", "IMPLICIT",
	"IMPURE", "INFINITELOOP", "INITIALDLY", "LATCH", "MULTIDRIVEN", "NOLATCH", "PINMISSING", "PROCASSWIRE", "RANDC", "SELRANGE",
	"STMTDLY", "TASKNSVAR", "UNDRIVEN", "USERWARN", "WAITCONST",
}

// anyWarning finds all warnings, whatever they weigh.
var anyWarning = regexp.MustCompile(`(?m)^%Warning-(\w+): (?:(\S.*?:\d+:\d+): )?(.*)$`)

// weightyWarnings are those that matter, once each, in the order of Verilator.
func weightyWarnings(said string) (found []cosim.Warning) {
	for _, line := range anyWarning.FindAllStringSubmatch(said, -1) {
		w := cosim.Warning{Code: line[1], Place: line[2], Text: line[3]}
		if slices.Contains(weighty, w.Code) && !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return found
}

// fileTasks are system tasks that reach files or programs of the user, as Verilator's
// netlist calls them.
var fileTasks = map[string]string{
	"fopen": "$fopen", "fopenmcd": "$fopen", "writemem": "$writemem", "systemt": "$system", "systemf": "$system", "dumpctl": "$dump...",
}

// fileWarnings are the uses of such tasks.
func (n *netlist) fileWarnings() (found []cosim.Warning) {
	n.root.each(func(node *xmlNode) {
		if task, ok := fileTasks[node.name]; ok {
			found = append(found, cosim.Warning{
				Code:  task,
				Place: n.place(node),
				Text:  "a circuit has no files but those of $readmem: this does nothing in wasm, and anything in a native library",
			})
		}
	})
	return found
}

// relativePlaces takes a build's temporary folder out of places.
func relativePlaces(warnings []cosim.Warning, work string) []cosim.Warning {
	for i := range warnings {
		warnings[i].Place = strings.TrimPrefix(warnings[i].Place, work+string(filepath.Separator))
	}
	return warnings
}
