// Package maps reads the files that say which signal or pin is which: pin maps of RTL, and the maps
// of `trace diff` and `trace decode`. Every error has file, line and column.
//
//	file        what it holds
//	maps.go     what they share
<<<<<<< HEAD
//	pin.go      LoadPin: RTL that stands for a model; sweep.go: LoadPins: for several parameters of both
=======
//	pin.go      LoadPin: RTL that stands for a model
//	stream.go   its sides with valid and ready
>>>>>>> f14413f7 (models of what RTL often is, with twins: arbiters that hold or not, streams, counters, delay lines; roles of sides with valid and ready)
//	diff.go     LoadDiff: names of two waveforms
//	decode.go   LoadDecode: where the frames are in a waveform
package maps
