// Package wired is the slot engine of a network given by its wiring, and the reference for faster ones.
package wired
