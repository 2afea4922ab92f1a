package crossbar

import (
	"embed"
	"encoding/csv"
	"fmt"
	"strconv"
)

// published are the figures of the papers, and reference figures of independent computations,
// that the tests compare with, too.
//
//go:embed gossip/testdata/gossip_*.csv scatter/testdata/scatter_*.csv
var published embed.FS

// figures reads a table of published figures.
func figures(path string) (header []string, records [][]string) {
	file, err := published.Open(path)
	if err == nil {
		records, err = csv.NewReader(file).ReadAll()
	}
	if err != nil {
		panic(fmt.Sprintf("crossbar: published figures %s: %v", path, err))
	}
	return records[0], records[1:]
}

// figure is the number that a cell of a table holds.
func figure(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("crossbar: a published figure: %v", err))
	}
	return value
}
