package fabrictest

import (
	"flag"

	"starloom"
)

var full = flag.Bool("full", false, "run the long tests")

// long is RTL that another test has in a machine, too: it takes long to compile.
func long(rtl ...starloom.RTL) []starloom.RTL {
	if !*full {
		return nil
	}
	return rtl
}
