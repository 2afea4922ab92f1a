// Package outputs is where outputs go: files that appear together, all or none, and writers.
//
//	Output (file, writer, nowhere) --open--> Set --commit--> all are there
//	                                          \--abort--> none is
package outputs
