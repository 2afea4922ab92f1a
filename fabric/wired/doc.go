// Package wired is the slot engine of a network by its wiring alone, and what faster ones are compared with.
package wired
