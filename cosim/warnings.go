package cosim

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Warning is a doubtful construct that a tool accepts, such as an ignored driver. A warning weakens a verdict.
type Warning struct {
	// Verilator's code (MULTIDRIVEN), a system task ($fopen), IFDEF, SIMULATORS, READERS, or a code of package verilator
	// (CASESIGN)
	Code  string `json:"code"`
	Place string `json:"place"` // file:line, file:line:column
	Text  string `json:"text"`
}

func (w Warning) String() string { return fmt.Sprintf("%s: %s: %s", w.Place, w.Code, w.Text) }

// WarningsText summarises warnings: 3 warnings: LATCH, MULTIDRIVEN.
func WarningsText(warnings []Warning) string {
	var codes []string
	for _, w := range warnings {
		codes = append(codes, w.Code)
	}
	slices.Sort(codes)
	return fmt.Sprintf("%s: %s", Count(uint64(len(warnings)), "warning"), strings.Join(slices.Compact(codes), ", "))
}

const warningsShown = 10

// WriteWarnings ends the line of a verdict with the number of warnings and lists them below.
func WriteWarnings(w io.Writer, warnings []Warning) {
	if len(warnings) > 0 {
		fmt.Fprint(w, "; ", WarningsText(warnings))
	}
	fmt.Fprintln(w)
	for _, line := range WarningLines(warnings) {
		fmt.Fprintln(w, "  "+line)
	}
}

// WarningLines returns the first warnings, one per line, and the number of further ones.
func WarningLines(warnings []Warning) (lines []string) {
	for i, warning := range warnings {
		if i == warningsShown {
			return append(lines, fmt.Sprintf("and %d more", len(warnings)-i))
		}
		lines = append(lines, warning.String())
	}
	return lines
}

// Count formats a number of things, with a plural s unless number is 1.
func Count(number uint64, what string) string {
	if number == 1 {
		return "1 " + what
	}
	return Digits(number) + " " + what + "s"
}

// Digits formats a number as 100,000.
func Digits(number uint64) string {
	digits := fmt.Sprint(number)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
