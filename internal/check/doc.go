// Package check finds what firmware does that it must not do: it runs a scenario in all the ways that must not
// change what it finds, watches what handlers write, and calls them on arbitrary input.
//
//	Config -> watch: a banked run, handler by handler
//	       -> compare: banked, isolated, interpreter, workers, engines, metered -> the first difference, explained
//	       -> campaign: draw -> run a sequence -> what was found -> shrink -> a scenario that reproduces it
//
// A file uses only those below it in this table.
//
//	file           what it holds
//	firmware.go    Firmware and its options: all of a check, and its verdict
//	reproduce.go   scenario, input and image of a finding, as files
//	replay.go      a handler called once more on the input in a file
//	campaign.go    sequences of arbitrary input: which, how many, what they have found
//	shrink.go      a finding with less input
//	draw.go        sequences made of nothing, or of those that have reached something
//	match.go       sequences made of what one has compared
//	sequence.go    one sequence: what a handler gets and does, slot by slot
//	fuzzer.go      the machine whose handlers are called, and the places in its run
//	dictionary.go  words that firmware tells from others
//	coverage.go    what of the image sequences have reached, and which are kept
//	compare.go     the ways to run, and whether their reports are the same
//	difference.go  the first difference between two ways to run, and its usual cause
//	watch.go       what handlers write that is not their processor's, and which do not return
//	checker.go     a check that is going on: the scenario, and the machines that it builds
//	text.go        the report's forms
//	page.go        the report as a page for a browser
//	report.go      what a check has found: its data
//	input.go       input of a handler: its data, read and checked
//	meanings.go    what keys of a report mean, from metrics.yaml
package check
