// Package tools is the work of the commands that run no network: what is in traces, frames taken
// out of waveforms, and what a check of RTL writes and says.
//
//	traces ------------------> Info ---> info.Report
//	VCD, map ----------------> Decode -> packets, decode.Report
//	lockstep.Report ---------> Case ---> waveform, save file, stimulus, JSON
//	a report per component --> Check --> one verdict, sums by kind of RTL
package tools
