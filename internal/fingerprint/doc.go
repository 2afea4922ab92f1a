// Package fingerprint writes a Go value in a form that is the same in every process, so that a
// network from Go is known by its hash: pointers are followed, maps sorted. Functions and channels
// count by their types.
package fingerprint
