// Package tracetest is what the tests of the packages under traces share: real tools,
// golden files, and small things to write VCDs with.
//
//	test --writes--> a.vcd --Run--> vcd2fst, tshark, ... --stdout--> Golden: testdata
package tracetest
