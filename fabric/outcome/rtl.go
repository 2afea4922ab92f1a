package outcome

import (
	"fmt"
	"strings"
)

// RTLReport describes an RTL part of a run.
type RTLReport struct {
	Path    string       `json:"path"` // path of the component
	Top     string       `json:"top"`  // module
	Backend string       `json:"backend"`
	SHA256  string       `json:"sha256"`            // SHA-256 of the sources' text or of the image
	Derived []string     `json:"derived,omitempty"` // missing outputs, derived from others
	Assumed []Assumption `json:"assumed,omitempty"` // assumptions of its pin map
}

// Assumption is a pin map's condition on the inputs of RTL, and the number of cycles with a violation.
type Assumption struct {
	Text   string  `json:"assume"`
	Broken uint64  `json:"broken_cycles"`
	First  *uint64 `json:"first_broken_cycle,omitempty"` // nil without one
}

func rtlText(list []RTLReport) string {
	var kinds []string
	counts := map[string]int{}
	for _, x := range list {
		kind := fmt.Sprintf("%s (%s)", Printable(x.Top), x.Backend)
		if len(x.Derived) > 0 {
			kind = fmt.Sprintf("%s (%s; %s is derived from the rails)", Printable(x.Top), x.Backend,
				strings.Join(x.Derived, ", "))
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
