// Package tracetest is what the tests of the packages under traces share: real tools,
// golden files, and small things to write VCDs with.
//
//	test --writes--> a.vcd --Run--> vcd2fst, tshark, ... --stdout--> Golden: testdata
//
//	file          what it holds
//	tracetest.go  real tools, golden files, headers
//	dump.go       Parse: a second reader of VCDs, which shares no code with package vcd
//	invent.go     Invent: waveforms made up, and written in many ways
package tracetest
