// Package lockstep runs RTL beside the model that it stands for, on the same inputs, up
// to the first difference, and makes a short case of it.
//
//	Stimulus --> twin.Model ---\
//	        \--> pinmap.Device --+--> compare --> past, shrink --> Report
//
//	file           what it holds
//	lockstep.go    Run, Options: the runs and the comparison
//	stimulus.go    Stimulus: inputs cycle by cycle; CSV, VCD
//	recorder.go    Recorder: a model that keeps its inputs, for lockstep on those of a run
//	coverage.go    Coverage: what the inputs never did
//	past.go        whether what happened before the last reset matters
//	shrink.go      a short case instead of a long run
//	report.go      what was found, as text, waveform and JSON
//
// Most pin maps are tested here (maps_test.go): a wrong wire shows in lockstep.
package lockstep
