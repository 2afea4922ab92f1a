package fabrictest

import (
	"flag"

	"starloom"
)

var full = flag.Bool("full", false, "run the long tests")

// long returns RTL that takes long to compile under -full only; another test covers it.
func long(rtl ...starloom.RTL) []starloom.RTL {
	if !*full {
		return nil
	}
	return rtl
}
