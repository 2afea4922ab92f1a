package crossbar

import "embed"

// published holds the figures of the papers, and reference figures of independent computations, which tests use, too.
//
//go:embed gossip/testdata/gossip_*.csv scatter/testdata/scatter_*.csv
var published embed.FS
