// Package outputs is where outputs go: files that appear together, all or none, and writers.
//
//	file        what it holds
//	outputs.go  Output: a file, a writer or nowhere; Set: those of a run
package outputs
