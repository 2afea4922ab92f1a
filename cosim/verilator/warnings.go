package verilator

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
)

// weighty are the warnings of Verilator that say that it simulates something other than
// what the text says, or another tool simulates. Style, speed and widths are not here.
var weighty = []string{
	"ALWCOMBORDER", "ASSIGNDLY", "BLKANDNBLK", "CASEINCOMPLETE", "CASEOVERLAP", "CASEWITHX", "CASEX", "COMBDLY", "CONTASSREG", "IMPLICIT",
	"IMPURE", "INFINITELOOP", "INITIALDLY", "LATCH", "MULTIDRIVEN", "NOLATCH", "PINMISSING", "PROCASSWIRE", "RANDC", "SELRANGE",
	"STMTDLY", "TASKNSVAR", "UNDRIVEN", "USERWARN", "WAITCONST",
}

// Codes of warnings that Verilator and GHDL do not give: of what they make something else of than the source says.
const (
	caseSign   = "CASESIGN"   // a case, or inside, of values with and without a sign
	deaf       = "DEAF"       // always @* that does not wait for what a function reads
	staticInit = "STATICINIT" // a variable that is to begin with a value once
	stream     = "STREAM"     // a stream and its target have not the same width
	sumWidth   = "SUMWIDTH"   // the sum or product of an array in a wider expression
	resize     = "RESIZE"     // a resize to fewer bits, of what may be signed
	effect     = "EFFECT"     // a call with an effect in an expression that may leave it out, or does not say when it comes
	copied     = "INOUT"      // an inout argument that is not copied
	static     = "STATIC"     // a variable that keeps its value from call to call
)

// Misread reports whether a warning is about something that is simulated otherwise than the source says.
func Misread(w cosim.Warning) bool {
	return slices.Contains([]string{caseSign, deaf, staticInit, stream, sumWidth, resize, effect, copied, static}, w.Code)
}

var anyWarning = regexp.MustCompile(`(?m)^%Warning-(\w+): (?:(\S.*?:\d+:\d+): )?(.*)$`)

func weightyWarnings(said string) (found []cosim.Warning) {
	for _, line := range anyWarning.FindAllStringSubmatch(said, -1) {
		w := cosim.Warning{Code: line[1], Place: line[2], Text: line[3]}
		if slices.Contains(weighty, w.Code) && !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return found
}

// ofVHDL are the warnings about GHDL's Verilog that say something of the VHDL it was made of: where a block of logic is written with <= GHDL
// has put a process, which is one in VHDL. Lines of that Verilog, which is gone with the build, are left out.
func ofVHDL(warnings []cosim.Warning, verilog string) (kept []cosim.Warning) {
	for _, w := range warnings {
		if strings.HasPrefix(w.Place, verilog+":") {
			w.Place = strings.TrimSuffix(verilog, ".v") + ", as GHDL synthesises it"
		}
		if w.Code != "COMBDLY" && !slices.Contains(kept, w) {
			kept = append(kept, w)
		}
	}
	return kept
}

func relativePlaces(warnings []cosim.Warning, work string) []cosim.Warning {
	for i := range warnings {
		warnings[i].Place = strings.TrimPrefix(warnings[i].Place, work+string(filepath.Separator))
	}
	return warnings
}

// remedyOwn is what helps where the source says by itself which parameters it does not take.
const remedyOwn = "give the parameters values that it takes"

// refusedByItself makes an error of $error and $fatal that a source meets as it is put together: those of a generate block that is taken.
func refusedByItself(said string) error {
	for _, line := range anyWarning.FindAllStringSubmatch(said, -1) {
		if task, own := map[string]string{"USERERROR": "$error", "USERFATAL": "$fatal"}[line[1]]; own {
			return &cosim.InputError{Place: line[2], Reason: fmt.Sprintf("the source ends with its own %s: %s", task, strings.TrimSpace(line[3])), Remedy: remedyOwn}
		}
	}
	return nil
}
