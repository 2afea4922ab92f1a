// Package check finds what firmware does that it must not do: it runs a scenario in all the ways that must not
// change what it finds, watches what handlers write, and calls them on arbitrary input.
//
//	Config -> watch: a banked run, handler by handler
//	       -> compare: banked, isolated, interpreter, workers, engines, metered -> the first difference, explained
//	       -> campaign: draw -> run a sequence -> what was found -> shrink -> a scenario that reproduces it
package check
