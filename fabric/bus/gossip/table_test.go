package gossip_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/bus/gossip"
)

func written(t testing.TB, write func(io.Writer) error) string {
	var text strings.Builder
	require.NoError(t, write(&text))
	return text.String()
}

// tableOf numbers the buses of each step from 0.
func tableOf(n int, steps []gossip.Step) *gossip.Table {
	return gossip.TableOf(n, steps, func(_, entry int) int { return entry })
}

// TestTableCSV: 5 vertices on buses of length 2: two columns, and a left-over vertex.
func TestTableCSV(t *testing.T) {
	require.Equal(t, ""+
		"R0,R0,S0,S0,R1,S0\n"+
		"-,S0,R0,R1,S0,-\n"+
		"-,R1,S1,S1,R0,-\n"+
		"-,S1,R1,R0,S1,-\n"+
		"S0,-,-,-,-,R0\n", written(t, tableOf(5, gossip.TwoPhase(5, 2)).WriteCSV))
}

// TestTableOfTheDocumentation is that of the package's comment.
func TestTableOfTheDocumentation(t *testing.T) {
	number := [][]int{{0, 1}, {0, 1}, {2, 3}, {3, 2}}
	table := gossip.TableOf(4, gossip.TwoPhase(4, 2), func(step, entry int) int { return number[step][entry] })
	require.Equal(t, "R0,S0,S2,R2\nS0,R0,R3,S3\nR1,S1,S3,R3\nS1,R1,R2,S2\n", written(t, table.WriteCSV))
}

// TestTable: omitted vertices are idle, the first of several entries in a cell counts, and known
// messages are kept.
func TestTable(t *testing.T) {
	table := gossip.NewTable(2)
	table.Add(0, 2, gossip.Cell{Action: gossip.Received, From: 1, Known: 7})
	table.Add(0, 2, gossip.Cell{Action: gossip.Sent, Bus: 4})
	table.Add(0, 4, gossip.Cell{Action: gossip.Blocked, Bus: 4})
	table.Add(1, 2, gossip.Cell{Action: gossip.Sent, Bus: 3})
	require.Equal(t, "-,-,R3,-,~\n-,-,S3,-,-\n", written(t, table.WriteCSV))
	require.Equal(t, 5, table.Columns())
	for column, known := range []int{1, 1, 7, 7, 7, 7} {
		require.Equal(t, known, table.Known(0, column))
	}
	require.Equal(t, 1, table.Known(0, -1))
	require.Equal(t, 1, table.Known(1, 4))
}

// TestTableSVG reads the picture of a schedule: every bus has a square and a dot for each receiver
// in the rows of its vertices, and no two bars of a step overlap.
func TestTableSVG(t *testing.T) {
	const n = 23
	steps := gossip.TwoPhase(n, 4)
	svg := written(t, tableOf(n, steps).WriteSVG)
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	row := map[int]int{} // vertex by the middle of its row
	number := func(text string) int {
		value, err := strconv.Atoi(text)
		require.NoError(t, err)
		return value
	}
	for _, m := range regexp.MustCompile(`<text x="30" y="(\d+)" text-anchor="end">(\d+)</text>`).FindAllStringSubmatch(svg, -1) {
		row[number(m[1])-4] = number(m[2])
	}
	require.Len(t, row, n)
	bars := regexp.MustCompile(`(?s)<title>bus \d+</title>.*?</g>`).FindAllString(svg, -1)
	k, taken := 0, map[string]bool{}
	for _, step := range steps {
		drawn := map[int]string{} // members by sender
		for range step {
			path := regexp.MustCompile(`<path d="M(\d+) (\d+)V(\d+)"`).FindStringSubmatch(bars[k])
			for y := number(path[2]); y <= number(path[3]); y++ {
				at := fmt.Sprint(path[1], ",", y)
				require.False(t, taken[at], "two bars at %s", at)
				taken[at] = true
			}
			sender := regexp.MustCompile(`<rect x="\d+" y="(\d+)"`).FindAllStringSubmatch(bars[k], -1)
			require.Len(t, sender, 1)
			var receivers []string
			for _, dot := range regexp.MustCompile(`cx="`+path[1]+`" cy="(\d+)"`).FindAllStringSubmatch(bars[k], -1) {
				receivers = append(receivers, fmt.Sprint(row[number(dot[1])]))
			}
			drawn[row[number(sender[0][1])+4]] = strings.Join(receivers, " ")
			k++
		}
		for _, bus := range step {
			want := map[string]bool{}
			for _, v := range bus.Receivers {
				want[fmt.Sprint(v)] = true
			}
			for _, v := range strings.Fields(drawn[bus.Sender]) {
				require.True(t, want[v], "vertex %s on the bus of %d", v, bus.Sender)
				delete(want, v)
			}
			require.Empty(t, want)
		}
	}
	require.Len(t, bars, k)
}
