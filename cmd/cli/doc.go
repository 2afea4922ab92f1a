// Package cli is the command line of Starloom: it parses options, calls package starloom and
// prints; `starloom help` describes it.
//
//	main --> root --> commands --> outputs, options, arguments, report, progress, status
//
// No command knows another one, and nothing that they share knows a command. The long helps and
// the examples stand in help/*.txt.
//
// Exit status: 0 the run passed, 1 it broke a rule or did not finish, 2 the input
// is bad, 3 Starloom itself is at fault, 4 a tool that Starloom runs failed, hung or
// was killed, or a disk is full, 129 interrupted by SIGHUP, 130 by SIGINT or SIGTERM.
package cli
