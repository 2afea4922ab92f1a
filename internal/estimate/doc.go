// Package estimate predicts the memory and time of a scenario on this machine, and of its next larger sizes, before
// it is run.
//
//	subject: the scenario at any size
//	    |  itself, for some seconds ---------- ended? --> its time
//	    |  smaller sizes, to their end ------> law of slots, law of time
//	    v                                          |
//	  marks of both: the share of a run in its first slots --> time of the whole run
//
// A run is measured exactly as the command makes it, with its outputs discarded. Measurements are cached for the same
// executable on the same machine. Times are processor times, which depend little on other load.
package estimate
