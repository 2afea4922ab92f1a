// Package languages has one small controller in five languages and creates new projects from it.
//
//	c, cpp            with the SDK of package firmware, and native unit tests
//	netlist           C, for a network drawn by the project
//	rust              without std, rustc alone
//	assemblyscript    with its smallest runtime, which never frees memory
//	go                GOOS=wasip1, c-shared; mode: isolated
//	testdata          images of the languages whose compilers tests do not install
//
// All controllers behave alike: the digests of their runs are equal.
package languages
