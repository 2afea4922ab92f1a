// Package estimate says what a scenario will take before it is run: memory, time on this machine, and both at
// the next larger sizes.
//
//	subject: the scenario at any size
//	    |  itself, for some seconds ---------- ended? --> its time
//	    |  smaller ones, to their end -------> Law of slots, Law of time
//	    v                                          |
//	  marks of both: how much of a run its first slots are --> time of all of it
//
// A run is measured as the command makes it, with outputs that no one sees. What was measured is kept, for the
// same executable on the same machine. Times are measured in processor time, which a busy machine changes little.
package estimate
