// Package tools is the work of the commands that run no network: what is in traces, frames taken
// out of waveforms, and what a check of RTL writes and says.
//
//	traces ------------------> Info ---> info.Report
//	VCD, map ----------------> Decode -> packets, decode.Report
//	lockstep.Report ---------> Case ---> waveform, save file, stimulus, JSON
//	a report per component --> Check --> one verdict, sums by kind of RTL
//
//	file        what it holds
//	info.go     Info: what is in trace files
//	decode.go   Decode: frames of a waveform as packets
//	case.go     Case: the files of a lockstep's case
//	files.go    Files: what a check writes, opened before its work
//	check.go    Check: the components of a scenario, added up; kinds.go: by kind of RTL
//	sweep.go    Sweep: the same RTL with several parameters, in one table
//	page.go     the report as a page for a browser
//	meanings.go what keys of a report mean, from metrics.yaml
package tools
