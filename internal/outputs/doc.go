// Package outputs is where outputs go: files that appear together, all or none, and writers.
//
//	Output (file, writer, nowhere) --open--> Set --commit--> all are there
//	                                          \--abort--> none is
//
//	file        what it holds
//	outputs.go  Output: a file, a writer or nowhere; Set: those of a run
package outputs
