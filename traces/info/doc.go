// Package info says what is in a trace file, in one pass and with memory that grows with
// the number of signals or interfaces alone.
//
//	file --first bytes--+--> vcd.Reader    --> VCD      --+
//	                    +--> pcapng.Reader --> Capture  --+--> File, Report: text and JSON
package info
