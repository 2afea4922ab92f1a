package eisenstein

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/figure"
)

// tableOf is the table of a message that is followed, translated to a source.
func tableOf(net *Torus, algorithm Algorithm, source int) *Table {
	const shards = 3
	table := NewTable(net, source, shards)
	net.Follow(algorithm, 0, func(h Hop) {
		table.Add(h.To%shards, h.Step, net.Add(source, h.From), net.Add(source, h.To))
	})
	return table
}

// TestTable: the text of a small table, and its counts, which are those of the recurrence.
func TestTable(t *testing.T) {
	net := torus(t, 1, 2, 1)
	var text strings.Builder
	require.NoError(t, tableOf(net, General, 3).WriteCSV(&text))
	require.Equal(t, "R3\nR3\nR3\nS4 S6 S5 S2 S0 S1\nR3\nR3\nR3\n", text.String())

	net = torus(t, 2, 3, 2)
	table := tableOf(net, Improved, 7)
	want, err := net.Steps(Improved, 2)
	require.NoError(t, err)
	require.Equal(t, want, table.Steps())
	text.Reset()
	require.NoError(t, table.WriteCSV(&text))
	records, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, net.Nodes())
	got := make([]Step, len(want))
	for node, row := range records {
		require.Len(t, row, len(want))
		for i, cell := range row {
			switch cell[0] {
			case 'S':
				got[i].Senders++
			case 'R':
				got[i].Receivers++
				require.Equal(t, i+1, net.Distance(node, 7))
			}
		}
	}
	require.Equal(t, want, got)
	table.Reset()
	require.Empty(t, table.Steps())
}

// TestPlane: every node is drawn; every packet is one arrow, or two if it leaves the plane.
func TestPlane(t *testing.T) {
	for _, c := range []struct {
		a, b      int
		algorithm Algorithm
	}{{3, 4, General}, {3, 4, Misprinted}, {2, 5, Oriented}, {0, 3, General}} {
		net := torus(t, c.a, c.b, 1)
		table := tableOf(net, c.algorithm, 0)
		var text strings.Builder
		require.NoError(t, table.WriteSVG(&text))
		elements := map[string]int{}
		for decoder := xml.NewDecoder(strings.NewReader(text.String())); ; {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if start, ok := token.(xml.StartElement); ok {
				elements[start.Name.Local]++
			}
		}
		require.Equal(t, 2*net.Nodes(), elements["circle"], "a disc and a ring each")
		p := plane{Table: table}
		arrows := len(table.Steps()) // of the legend
		for _, h := range table.sorted() {
			arrows++
			if p.leaves(h.From, h.Direction) {
				require.Contains(t, []Algorithm{Oriented, Misprinted}, c.algorithm, "a tree of least representatives stays in the plane")
				arrows++
			}
		}
		require.Equal(t, arrows+1, strings.Count(text.String(), `Z" class="f`), "heads of arrows, and the paper")
		if dir := os.Getenv("EJ_PICTURES"); dir != "" {
			require.NoError(t, os.WriteFile(fmt.Sprintf("%s/ej-%d-%d-%d.svg", dir, c.a, c.b, c.algorithm), []byte(text.String()), 0o644))
		}
	}
}

// TestPlots: the figures have the numbers of the tables.
func TestPlots(t *testing.T) {
	const nodes = 37 * 37 * 37
	courses := []Course{
		{Name: "previous", Style: figure.Dashed, Nodes: nodes, Steps: steps(t, 3, 4, 3, Previous)},
		{Name: "proposed", Nodes: nodes, Steps: steps(t, 3, 4, 3, Improved)},
	}
	senders, receivers, free, active := Plots("EJ_{3+4rho}^(3)", courses)
	for i, record := range golden(t, "table2")[:9] {
		for column, p := range []*figure.Figure{free, senders, receivers, active} {
			require.Equal(t, figure.Point{X: float64(i + 1), Y: float64(number(t, record[column+1]))}, p.Curves[1].Points[i])
		}
	}
	var text strings.Builder
	require.NoError(t, tableOf(torus(t, 2, 3, 2), Improved, 0).WriteSVG(&text))
	require.Contains(t, text.String(), "One-to-all broadcast in EJ_{2+3rho}^(2)")
	for dims := range 2 {
		require.NoError(t, NewTable(torus(t, 2, 3, dims+1), 0, 1).WriteSVG(io.Discard), "no one has sent")
	}
}
