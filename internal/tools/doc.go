// Package tools implements commands that do not run a network: contents of traces, frames in waveforms, and output of
// RTL checks.
//
//	traces ------------------> Info ---> info.Report
//	VCD, map ----------------> Decode -> packets, decode.Report
//	lockstep.Report ---------> Case ---> waveform, save file, stimulus, JSON
//	a report per component --> Check --> one verdict, sums by kind of RTL
package tools
