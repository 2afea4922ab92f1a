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
//
//	file                      what it holds
//	main.go                   one command line: interrupts, panics, from errors to exit statuses
//	root.go                   starloom: all commands
//	new.go                    starloom new
//	run.go                    starloom run
//	estimate.go               starloom estimate
//	scenario.go               starloom scenario show
//	netlist.go                starloom netlist show and header
//	study.go                  starloom study; study_slurm.go: its cases as jobs of a cluster
//	sweep.go                  starloom sweep
//	plot.go                   starloom plot
//	firmware.go               starloom firmware build, new and sdk
//	firmware_check.go         starloom firmware check; firmware_inspect.go: inspect
//	cosim.go                  starloom cosim build
//	cosim_check.go            starloom cosim check; cosim_check_options.go: its options
//	cosim_prove.go            starloom cosim prove
//	cosim_check_map.go        the check of a pin map; cosim_check_scenario.go: of a scenario's RTL;
//	                          cosim_check_sweep.go: of a pin map with lists of parameters
//	trace.go                  starloom trace info, decode and dissector; trace_diff.go: diff
//	explain.go                starloom explain
//	about.go                  starloom schema and version
//	completion.go             how options and arguments are completed
//	help.go                   starloom help; manual.go: manual pages; texts.go: the texts of both
//	outputs.go                options that name files to write, and what they must not be
//	pictures.go               run --svg: kinds of pictures and their files
//	options.go                options that take a word, a number of a range, names with values
//	settings.go               --set: keys of a scenario; the scenario at a path
//	overrides.go              options that replace what a scenario says
//	arguments.go              what stands on a command line besides options
//	report.go                 a report is printed, and its verdict becomes an exit status
//	status.go                 exit statuses, and errors that stand for them
//	progress.go               one line on a terminal that says how far long work has come
package cli
