package crossbar

import "embed"

// published are the figures of the papers, and reference figures of independent computations,
// that the tests compare with, too.
//
//go:embed gossip/testdata/gossip_*.csv scatter/testdata/scatter_*.csv
var published embed.FS
