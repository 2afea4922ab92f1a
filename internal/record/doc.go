// Package record writes what a machine does while it runs: an observer that keeps signals, frames and
// lines of the log.
//
//	emulator.Machine --cycle, boundary--> Recording --+--> waveform (VCD) and its save files
//	                                                  +--> packet capture (pcapng)
//	                                                  +--> log of the firmware
//
//	file          what it holds
//	recording.go  Recording: outputs of a machine, from one boundary to another
//	save_file.go  what arranges the waveform in GTKWave and in Surfer
//	shown.go      what a waveform is of; waveform.go: signals into a VCD, with its window and its trigger
//	capture.go    frames into a packet capture
//	bare.go       both, of packets without firmware
//	origin.go     which run a trace is of
//	excerpt.go    a few cycles of a few signals; frames.go: frames, kept for pages
package record
