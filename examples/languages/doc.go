// Package languages holds one small controller in five languages, and makes new projects
// from it.
//
//	c, cpp            with the SDK of package firmware, and native unit tests
//	netlist           C, for a network that the project draws
//	rust              without std, rustc alone
//	assemblyscript    with the smallest of its runtimes, which frees nothing
//	go                GOOS=wasip1, c-shared; mode: isolated
//	testdata          images of the languages whose compilers tests do not install
//
// All of them do the same, bit by bit: their runs have the same digests.
package languages
