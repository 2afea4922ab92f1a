// Package outputs defines destinations of outputs: writers, and files that appear together or not at all.
//
//	Output (file, writer, nowhere) --open--> Set --commit--> all files appear
//	                                          \--abort--> no file appears
package outputs
