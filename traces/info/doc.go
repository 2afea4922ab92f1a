// Package info summarises a trace file in one pass. Memory grows only with the number of signals or interfaces.
//
//	file --first bytes--+--> vcd.Reader    --> VCD      --+
//	                    +--> pcapng.Reader --> Capture  --+--> File, Report: text and JSON
package info
