// Command house measures the structure of Starloom. Its test enforces the rules.
//
//	sources --read--> tree --+-- tidy ----> findings, a count for each rule
//	                         +-- uses ----> dependencies of files, cycles, uses that go up
//	                         +-- layers --> allowed imports of packages
//
// `make house` prints all measurements. The test compares the findings with ratchet.txt, whose counts may only fall,
// and with exceptions.txt, which has a reason for each exception.
package main
