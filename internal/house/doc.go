// Command house measures how Starloom is built, and its test holds the measures.
//
//	sources --read--> tree --+-- tidy ----> findings, a count for each rule
//	                         +-- uses ----> which file needs which, cycles, uses that go up
//	                         +-- layers --> which package may import which
//
// `make house` prints all of it. The test compares the findings with ratchet.txt, whose counts
// may only fall, and with exceptions.txt, whose lines each say why.
//
//	file         what it holds
//	main.go      what is printed
//	tree.go      the files of the repository, parsed
//	layers.go    the packages from the bottom up
//	uses.go      uses between the files of a package; cycles.go: those that lead back
//	tidy.go      the rules of form: lengths, complexity, fields
//	documents.go exported names without a comment, packages without doc.go, files that are not there
//	words.go     words that are not English of the field
//	ratchet.go   what is allowed still, and exceptions
package main
