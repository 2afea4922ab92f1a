// Package maps reads the files that say which signal or pin is which: pin maps of RTL, and the maps
// of `trace diff` and `trace decode`. Every error has file, line and column.
//
//	file        what it holds
//	maps.go     what they share
//	pin.go      LoadPin: RTL that stands for a model; sweep.go: LoadPins: for several parameters of both
//	stream.go   its sides with valid and ready
//	pindecoder.go  how their keys are read
//	timing.go   clocks and resets of such a map; sources.go: its files
//	diff.go     LoadDiff: names of two waveforms
//	decode.go   LoadDecode: where the frames are in a waveform
package maps
