// Package lockstep runs RTL and its reference model on the same inputs and compares their outputs in every cycle. It
// shortens the inputs that lead to the first difference and reports them.
//
//	Stimulus --> twin.Model ---\
//	        \--> pinmap.Device --+--> compare --> past, shrink --> Report
//
// Most pin-map features are tested here, too (maps_test.go), because a wrong connection shows up as a difference.
package lockstep
