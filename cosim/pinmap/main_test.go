package pinmap

import "flag"

// This package has no long tests, but -full is passed to all packages of cosim.
var _ = flag.Bool("full", false, "run the long tests")
