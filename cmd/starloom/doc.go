// Command starloom runs emulations of interconnect hardware and of its
// firmware. It parses options, calls package starloom and prints; `starloom
// help` describes it.
//
// Exit status: 0 the run passed, 1 it broke a rule or did not finish, 2 the input
// is bad, 3 Starloom itself is at fault, 4 a tool that Starloom runs failed, hung or
// was killed, 129 interrupted by SIGHUP, 130 by SIGINT or SIGTERM.
//
//	file                      what it holds
//	main.go                   from errors to exit statuses
//	root.go                   starloom, and what its commands share; help.go, manual.go: help, manual pages
//	run.go                    starloom run
//	study.go                  starloom study
//	firmware_check.go         starloom firmware check; firmware_inspect.go: inspect
//	cosim.go                  starloom cosim build; cosim_check.go, cosim_check_scenario.go: check
//	trace.go                  starloom trace
//	progress.go               one line on a terminal that says how far long work has come
package main
