// Command house measures how Starloom is built, and its test holds the measures.
//
//	sources --read--> tree --+-- tidy ----> findings, a count for each rule
//	                         +-- uses ----> which file needs which, cycles, uses that go up
//	                         +-- layers --> which package may import which
//
// `make house` prints all of it. The test compares the findings with ratchet.txt, whose counts
// may only fall, and with exceptions.txt, whose lines each say why.
package main
