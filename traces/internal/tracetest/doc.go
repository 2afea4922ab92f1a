// Package tracetest provides common parts of the tests of package traces and below: real tools, golden files, and
// helpers to write VCDs.
//
//	test --writes--> a.vcd --Run--> vcd2fst, tshark, ... --stdout--> Golden: testdata
package tracetest
