package condition

import "starloom/cosim"

// Scope defines the names in a condition.
type Scope struct {
	Model      string
	Ports      []cosim.Port // ports of the model
	Parameters map[string]int
	Pins       []string // pins of the RTL, which a condition must not read
}

// Use is a port that a condition reads.
type Use struct {
	Port cosim.Port
	Past bool // the value is that of the previous cycle
}
