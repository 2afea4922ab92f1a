package gossip_test

import (
	"encoding/csv"
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

var full = flag.Bool("full", false, "run the long tests")

// golden reads testdata/bus_<name>.csv without its header.
func golden(t testing.TB, name string) [][]string {
	file, err := os.Open("testdata/bus_" + name + ".csv")
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(records), 1)
	return records[1:]
}

func numbers(t testing.TB, record []string) (values []int) {
	for _, text := range record {
		value, err := strconv.Atoi(text)
		require.NoError(t, err)
		values = append(values, value)
	}
	return values
}

func figure(t testing.TB, text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return value
}
