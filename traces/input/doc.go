// Package input reads user input and defines its error type, for files, options, scenarios, maps, RTL and waveforms.
// Code creates an Error where it detects a mistake, and callers return it unchanged. The command line recognises the
// type and exits with status 2.
//
//	run.vcd:120      | found "#-1"    | give a VCD that ...
//	place:             reason;          remedy
//
// The package imports no other package of Starloom, so that all may import it. Its types are starloom.InputError and
// starloom.InputErrors in the Go API.
//
// A ToolError reports a failure of an external program; the exit status is 4.
package input
