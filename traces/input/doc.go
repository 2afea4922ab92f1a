// Package input reads what a user gives, and holds the one kind of error about it: files,
// options, scenarios, maps, RTL, waveforms. Code that reads something makes an Error where it
// finds the fault, and its callers pass it on unchanged; the command line tells it from a fault
// of Starloom by its type and ends with exit status 2.
//
//	run.vcd:120      | found "#-1"    | give a VCD that ...
//	place:             reason;          remedy
//
// The package imports nothing of Starloom, so that all others may import it. It is
// starloom.InputError in the Go API, and starloom.InputErrors of several.
//
// What programs that Starloom runs do wrong is a ToolError, and exit status 4.
package input
