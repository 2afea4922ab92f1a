package gossip_test

import (
	"flag"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/studytest"
)

var full = flag.Bool("full", false, "run the long tests")

// golden reads testdata/bus_<name>.csv without its header.
func golden(t testing.TB, name string) [][]string {
	return studytest.Records(t, "testdata/bus_"+name+".csv")[1:]
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
