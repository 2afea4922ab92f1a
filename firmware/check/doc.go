// Package check finds violations by firmware: it runs a scenario in all ways that must agree, watches the writes of
// handlers, and calls handlers on arbitrary input.
//
//	Config -> watch: a banked run, handler by handler
//	       -> compare: banked, isolated, interpreter, workers, engines, metered -> the first difference, explained
//	       -> campaign: draw -> run a sequence -> findings -> shrink -> a scenario that reproduces them
package check
