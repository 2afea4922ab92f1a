package page

import (
	"fmt"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// atEnd reports whether only the end of the run has shown a violation: it has the number of the cycle after the last one.
func atEnd(r *outcome.Report, v *outcome.Violation) bool { return v.Cycle >= r.Cycles }

func whereOf(r *outcome.Report, v *outcome.Violation) string {
	if !atEnd(r, v) {
		return v.Where()
	}
	text := "at the end of the run"
	if r.Slots > 0 {
		text += fmt.Sprintf(", after slot %d, cycle %d", r.Slots-1, r.Cycles-1)
	}
	return text + placeText(r, v)
}

// placeText names the place of a violation, which may be the whole network.
func placeText(r *outcome.Report, v *outcome.Violation) string {
	switch {
	case v.Path == "":
		return ""
	case v.Rule == fabric.RuleFinishes && !strings.Contains(v.Path, "."):
		return ", all processors"
	}
	return ", " + v.Path
}

func noticed(r *outcome.Report, v *outcome.Violation) string {
	text := whereOf(r, v)
	if !strings.HasPrefix(text, "at ") {
		text = "at " + text
	}
	if v.Rule == fabric.RuleNoLoss && !atEnd(r, v) {
		text += ", when the frame was to arrive"
	}
	return text
}
