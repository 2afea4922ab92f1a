// Package decode takes phits out of a waveform: what an interface carries in each cycle. It
// knows wires and frames of bytes; those of Starloom nic.Decoder makes of the phits.
//
//	any VCD --> vcd.Sampler --> Reader: lanes of wires --put(lane, cycle, Phit)--> nic.Decoder
//	                            valid and data, or dual-rail light
//	                            bytes of a stream     --put(lane, cycle, Phit)--> Framer: frames of bytes
package decode
