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
//
//	file                what it holds
//	runs.go             Runs, Of: a scenario as a command would run it, at any size
//	estimate.go         Size; which sizes are measured and for how long, and what follows
//	probe.go            one size measured, to its end or for a time
//	law.go              how slots and time grow with the network
//	report.go           Estimate: what is known then, and on what it is based; its forms
//	kept.go             measurements in the user's cache folder
//	processor_unix.go   processor time of this process; processor_other.go: where there is none
//	meanings.go         what keys of a report mean, from metrics.yaml
package estimate
