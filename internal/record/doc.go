// Package record writes what a machine does while it runs: an observer that keeps signals, frames and
// lines of the log.
//
//	emulator.Machine --cycle, boundary--> Recording --+--> waveform (VCD) and its save files
//	                                                  +--> packet capture (pcapng)
//	                                                  +--> log of the firmware
package record
