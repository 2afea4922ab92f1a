package condition

import "starloom/cosim"

// Scope is what names in a condition mean.
type Scope struct {
	Model      string
	Ports      []cosim.Port // of the model
	Parameters map[string]int
	Pins       []string // the RTL's own, which a condition must not see
}

// Use is a port that a condition reads.
type Use struct {
	Port cosim.Port
	Past bool // in the cycle before
}
