package outcome

import (
	"fmt"
	"strings"
)

// RTLReport says what was RTL in a run.
type RTLReport struct {
	Path    string       `json:"path"` // of the component
	Top     string       `json:"top"`  // module
	Backend string       `json:"backend"`
	SHA256  string       `json:"sha256"`            // of the sources' text, or of the image
	Derived []string     `json:"derived,omitempty"` // outputs that the RTL lacks, made of its others
	Assumed []Assumption `json:"assumed,omitempty"` // what its pin map assumes of the machine
}

// Assumption is a condition that a pin map assumes of the inputs of its RTL, and in how many cycles the
// machine broke it.
type Assumption struct {
	Text   string  `json:"assume"`
	Broken uint64  `json:"broken_cycles"`
	First  *uint64 `json:"first_broken_cycle,omitempty"` // nil without one
}

// rtlText is the text form of RTL, one part per module and backend: 16 link (wasm).
func rtlText(list []RTLReport) string {
	var kinds []string
	counts := map[string]int{}
	for _, x := range list {
		kind := fmt.Sprintf("%s (%s)", Printable(x.Top), x.Backend)
		if len(x.Derived) > 0 {
			kind = fmt.Sprintf("%s (%s; %s is derived from its rails)", Printable(x.Top), x.Backend, strings.Join(x.Derived, ", "))
		}
		if counts[kind]++; counts[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", counts[kind], kind)
	}
	return strings.Join(kinds, ", ")
}
