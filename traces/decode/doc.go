// Package decode extracts phits from a waveform: the data of each interface in each cycle. It handles wires and
// frames of bytes; nic.Decoder assembles Starloom's frames from the phits.
//
//	any VCD --> vcd.Sampler --> Reader: lanes of wires --put(lane, cycle, Phit)--> nic.Decoder
//	                            valid and data, or dual-rail light
//	                            bytes of a stream     --put(lane, cycle, Phit)--> Framer: frames of bytes
package decode
