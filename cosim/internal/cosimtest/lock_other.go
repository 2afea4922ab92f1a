//go:build !unix

package cosimtest

// lock does nothing: every package may compile the library for itself.
func lock(string) (unlock func()) { return func() {} }
