// Package record writes the activity of a running machine. Its observer records signals, frames and log lines.
//
//	emulator.Machine --cycle, boundary--> Recording --+--> waveform (VCD) and its save files
//	                                                  +--> packet capture (pcapng)
//	                                                  +--> log of the firmware
package record
