// Package decode takes phits out of a VCD: what an interface carries in each cycle. It
// knows wires, not frames, which nic.Decoder makes of the phits.
//
//	any VCD --> vcd.Sampler --> Reader: lanes of wires --put(lane, cycle, Phit)--> nic.Decoder
//	                            valid and data, or dual-rail light
//
//	file       what it holds
//	decode.go  Options, Lane, Phit, Reader
//	report.go  Report: what was found, as text and JSON
package decode
