package verilator

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"starloom/cosim"
)

// weighty lists Verilator's warnings about code whose simulation differs from the source or between tools. Style,
// speed and widths are excluded.
var weighty = []string{
	"ALWCOMBORDER", "ASSIGNDLY", "BLKANDNBLK", "CASEINCOMPLETE", "CASEOVERLAP", "CASEWITHX", "CASEX", "COMBDLY",
	"CONTASSREG", "IMPLICIT",
	"IMPURE", "INFINITELOOP", "INITIALDLY", "LATCH", "MULTIDRIVEN", "NOLATCH", "PINMISSING",
	"PROCASSWIRE", "RANDC", "SELRANGE",
	"STMTDLY", "TASKNSVAR", "UNDRIVEN", "USERWARN", "WAITCONST",
}

// Codes of Starloom's own warnings, about constructs that Verilator or GHDL translates wrongly.
const (
	caseSign    = "CASESIGN"   // case or inside with signed and unsigned values
	deaf        = "DEAF"       // always @* that ignores signals read by a function
	staticInit  = "STATICINIT" // static variable with an initial value
	stream      = "STREAM"     // stream and target of different widths
	sumWidth    = "SUMWIDTH"   // array sum or product in a wider expression
	resize      = "RESIZE"     // resize to fewer bits of a possibly signed value
	effect      = "EFFECT"     // call with an effect in an expression that may skip the call or leaves its order open
	copied      = "INOUT"      // inout argument that is not copied
	static      = "STATIC"     // variable that keeps its value between calls
	byReference = "REF"        // ref argument: refused
)

// refusedReference returns an error for a ref argument, whose value Verilator may read too early.
func refusedReference(doubts []cosim.Warning) error {
	for _, w := range doubts {
		if w.Code == byReference {
			reason, remedy, _ := strings.Cut(w.Text, "; ")
			return &cosim.InputError{Place: w.Place, Reason: reason, Remedy: remedy}
		}
	}
	return nil
}

// Misread reports whether a warning is about code that is simulated differently from the source.
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

// ofVHDL returns the warnings about GHDL's Verilog that apply to the VHDL. It drops COMBDLY, because GHDL writes
// blocks of logic as processes with <=. Places in the temporary Verilog are replaced by the name of that Verilog.
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

// remedyOwn is the remedy for parameters that the source itself rejects.
const remedyOwn = "give the parameters values that it accepts"

// refusedByItself returns an error if elaboration executed $error or $fatal in a generate block of the source.
func refusedByItself(said string) error {
	for _, line := range anyWarning.FindAllStringSubmatch(said, -1) {
		if task, own := map[string]string{"USERERROR": "$error", "USERFATAL": "$fatal"}[line[1]]; own {
			return &cosim.InputError{Place: line[2],
				Reason: fmt.Sprintf("the source ends with its own %s: %s", task, strings.TrimSpace(line[3])), Remedy: remedyOwn}
		}
	}
	return nil
}
