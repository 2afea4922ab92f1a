// Package lockstep runs RTL beside the model that it stands for, on the same inputs, up
// to the first difference, and makes a short case of it.
//
//	Stimulus --> twin.Model ---\
//	        \--> pinmap.Device --+--> compare --> past, shrink --> Report
//
// Most pin maps are tested here (maps_test.go): a wrong wire shows in lockstep.
package lockstep
