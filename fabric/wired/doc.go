// Package wired is the slot engine of a network by its wiring alone, and what faster ones are compared with.
//
//	file            what it holds
//	transport.go    the Transport; small.go: its frames of one packet; lanes.go: NICs some of whose lanes ask
package wired
