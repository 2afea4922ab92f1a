// Package cli is the command line of Starloom: it parses options, calls package starloom and prints. See `starloom
// help`.
//
//	main --> root --> commands --> outputs, options, arguments, report, progress, status
//
// Commands do not depend on each other, and shared code does not depend on commands. Long helps and examples are in
// help/*.txt.
//
// Exit status: 0 the run passed, 1 it broke a rule or did not finish, 2 invalid input, 3 a fault of Starloom, 4 an
// external tool failed, hung or was killed, or a disk is full, 5 a proof for some cycles only, 6 an undecided proof,
// 129 interrupted by SIGHUP, 130 by SIGINT or SIGTERM.
package cli
