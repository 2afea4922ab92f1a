package condition

import "flag"

// The long tests are elsewhere; -full goes to all packages of cosim.
var _ = flag.Bool("full", false, "run the long tests")
