// Package check finds what firmware does that it must not do: it runs a scenario in all the ways that must not
// change what it finds, watches what handlers write, and calls them on arbitrary input.
//
//	Config -> watch: a banked run, handler by handler
//	       -> compare: banked, isolated, interpreter, workers, engines, metered -> the first difference, explained
//	       -> fuzz: draw -> run a sequence -> what was found -> shrink -> a scenario that reproduces it
//
//	file           what it holds
//	firmware.go    Firmware, its options and its report; the ways to run; what handlers write
//	difference.go  the first difference between two ways to run, and its usual cause
//	fuzz.go        sequences of arbitrary input: which, how many, what they have found
//	sequence.go    one sequence: what a handler gets and does, slot by slot
//	draw.go        what arbitrary input is made of; dictionary.go: the words in it
//	coverage.go    what of the image sequences have reached, and which are kept
//	shrink.go      a finding with less input
//	reproduce.go   scenario, input and image of a finding, as files; reading them again
//	text.go        the report's form for people
package check
