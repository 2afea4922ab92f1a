package fabric

import (
	"flag"
)

var full = flag.Bool("full", false, "run the long tests")
