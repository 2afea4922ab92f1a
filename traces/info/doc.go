// Package info says what is in a trace file, in one pass and with memory that grows with
// the number of signals or interfaces alone.
//
//	file --first bytes--+--> vcd.Reader    --> VCD      --+
//	                    +--> pcapng.Reader --> Capture  --+--> File, Report: text and JSON
//
//	file        what it holds
//	info.go     Options, Read, Report
//	vcd.go      VCD: signals, times, activity, x and z
//	values.go   Values: the values of some signals, a change a line
//	capture.go  Capture: interfaces, packets, statuses
package info
