// Package lockstep runs RTL beside the model that it stands for, on the same inputs, up
// to the first difference, and makes a short case of it.
//
//	Stimulus --> twin.Model ---\
//	        \--> pinmap.Device --+--> compare --> past, shrink --> Report
//
//	file           what it holds
//	lockstep.go    Run: all runs, up to the first difference
//	options.go     Options
//	pair.go        model and RTL side by side: power-on, one run, the comparison
//	batch.go       RTL that runs many cycles in one call
//	stimulus.go    Stimulus: inputs cycle by cycle; read_csv.go, read_vcd.go: from files
//	explore.go     explorer: phases from states that are kept; novelty.go: what of the model is new
//	observe.go     Cycle: what somebody else sees of a run
//	recorder.go    Recorder: a model that keeps its inputs, for lockstep on those of a run
//	contract.go    what the map assumes of the inputs, and when its outputs count
//	coverage.go    Coverage: what the inputs never did; covered.go: what the runs cover of RTL and model
//	past.go        whether what happened before the last reset matters
//	hint.go        whether the map is wrong in a way that is often met
//	shrink.go      a short case instead of a long run
//	explain.go     what is known of a difference
//	report.go      Report: what was found, as text and JSON; waves.go: drawn, and as a waveform
//	inside.go      registers of the model and what is inside of the RTL, in that waveform; look.go: kept of the case
//
// Most pin maps are tested here (maps_test.go): a wrong wire shows in lockstep.
package lockstep
