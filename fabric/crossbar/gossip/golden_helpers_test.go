package gossip_test

import (
	"encoding/csv"
	"flag"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/gossip"
	"starloom/fabric/studytest"
)

var full = flag.Bool("full", false, "run the long tests")

// golden reads testdata/gossip_<name>.csv without its header.
func golden(t testing.TB, name string) [][]string {
	return studytest.Records(t, "testdata/gossip_"+name+".csv")[1:]
}

func number(t testing.TB, text string) int {
	value, err := strconv.Atoi(text)
	require.NoError(t, err)
	return value
}

// goldenTable is a published run-table: the cells, and the used slots below if it has them.
func goldenTable(t testing.TB, name string) (cells [][]string, nu []int) {
	for _, record := range golden(t, name) {
		if record[0] == "nu" {
			for _, used := range record[1:] {
				nu = append(nu, number(t, used))
			}
			continue
		}
		cells = append(cells, record[1:])
	}
	return cells, nu
}

// goldenOrders reads orders as the writer writes them, once id and header are gone.
func goldenOrders(t testing.TB, name string) gossip.Orders {
	var text strings.Builder
	records := golden(t, name)
	for _, record := range records {
		text.WriteString(strings.Join(record[1:], ",") + "\n")
	}
	orders, err := gossip.Parse(name, []byte(text.String()), len(records)-1)
	require.NoError(t, err)
	var written strings.Builder
	require.NoError(t, orders.Write(&written))
	require.Equal(t, text.String(), written.String())
	return orders
}

// cells are those of a table's CSV form.
func cells(t testing.TB, table *gossip.Table) [][]string {
	var text strings.Builder
	require.NoError(t, table.WriteCSV(&text))
	records, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	require.NoError(t, err)
	return records
}
