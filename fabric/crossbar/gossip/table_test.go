package gossip_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/gossip"
	. "starloom/fabric/crossbar/gossip/gossiptest"
)

// TestTableKeepsCells adds random cells with gaps and reads them back.
func TestTableKeepsCells(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const columns = 5000
	table, want := gossip.NewTable(3), make([][]gossip.Cell, 3)
	for p := range want {
		want[p] = make([]gossip.Cell, columns+1)
		waits := 1 + random.IntN(300)
		for column := random.IntN(10); column < columns; column++ {
			cell := gossip.Cell{Action: gossip.Action(random.IntN(4))}
			if cell.Action >= gossip.Sent {
				cell.Peer = random.Uint32() >> random.IntN(32)
			}
			for range 1 + random.IntN(waits) {
				if column < columns {
					want[p][column] = cell
					table.Add(p, uint32(column), cell)
				}
				column++
			}
			column += random.IntN(waits)
		}
	}
	want[2][columns] = gossip.Cell{Action: gossip.Sent, Peer: 1<<32 - 1}
	table.Add(2, columns, want[2][columns])
	require.Equal(t, columns+1, table.Columns())
	for p := range want {
		for range 2 { // reading changes nothing
			next := 0
			for run := range table.Row(p) {
				require.Equal(t, next, int(run.Column))
				for range run.Length {
					require.Equal(t, want[p][next], run.Cell, "processor %d, column %d", p, next)
					next++
				}
			}
			require.Equal(t, columns+1, next)
		}
	}
	require.Panics(t, func() { table.Add(2, 3, gossip.Cell{}) })
}

func TestMetricsAreExact(t *testing.T) {
	m := Step(Setting{Orders: gossip.Identity(4)}).Metrics()
	require.Equal(t, 18, m.Lambda)
	require.Equal(t, "20/9", m.Mu.String())
	require.Equal(t, "4/9", m.Epsilon.String())
	m = Step(Setting{Orders: gossip.Pipelined(9)}).Metrics()
	require.Equal(t, "20/3", m.Mu.String())
	require.Equal(t, "2/3", m.Epsilon.String())
	require.False(t, gossip.AbovePipelined(m.Epsilon))
	require.Equal(t, "0/1", gossip.Measure(4, nil).Epsilon.String())
	require.Equal(t, "1/1", Step(Setting{Orders: gossip.Pipelined(1)}).Metrics().Epsilon.String())
}

// svg draws a table and checks that it is XML.
func svg(t *testing.T, table *gossip.Table) string {
	var text strings.Builder
	require.NoError(t, table.WriteSVG(&text))
	decoder := xml.NewDecoder(strings.NewReader(text.String()))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		require.NoError(t, err)
	}
}

// TestSmallPicturesHaveSymbols: the cells of Table 4 in their order, with their colours.
func TestSmallPicturesHaveSymbols(t *testing.T) {
	want, _ := goldenTable(t, "table_4")
	text := svg(t, Step(Setting{Orders: gossip.Pipelined(9)}))
	for _, row := range want {
		for _, symbol := range row {
			at := strings.Index(text, `">`+symbol+"</text>")
			require.GreaterOrEqual(t, at, 0)
			rect := text[strings.LastIndex(text[:at], "<rect"):at]
			fill := map[byte]string{'S': `class="f1"/>`, 'R': `class="f1" fill-opacity="0.4"/>`, '-': `class="f0"/>`, '~': `class="f0"/>`}[symbol[0]]
			require.Contains(t, rect, fill)
			text = text[at+1:]
		}
	}
}

// TestLargePicturesDrawEveryCell decodes the paths of a picture.
func TestLargePicturesDrawEveryCell(t *testing.T) {
	for _, N := range []int{50, 60} { // 60: too many rows for symbols
		table := Step(Setting{Orders: gossip.Identity(N)})
		want := make(map[[2]int]string)
		for p := range N + 1 {
			for run := range table.Row(p) {
				if colour := map[gossip.Action]string{gossip.Sent: "1", gossip.Received: `1" stroke-opacity="0.4`}[run.Cell.Action]; colour != "" {
					want[[2]int{p, int(run.Column)}] = colour
				}
			}
		}
		require.Equal(t, want, drawn(t, svg(t, table)))
	}
}

// drawn are the colours of the cells that the paths of a picture cover.
func drawn(t *testing.T, text string) map[[2]int]string {
	cells := make(map[[2]int]string)
	for _, path := range regexp.MustCompile(`<path d="([^"]*)" class="s(.*)" shape-rendering="crispEdges"/>`).FindAllStringSubmatch(text, -1) {
		strokes, colour := path[1], path[2]
		column, row := 0, 0
		for strokes != "" {
			end := 1 + strings.IndexAny(strokes[1:]+"M", "Mmh")
			command, values := strokes[0], strings.Fields(strokes[1:end])
			strokes = strokes[end:]
			switch command {
			case 'M':
				column, row = number(t, values[0]), number(t, strings.TrimSuffix(values[1], ".5"))
			case 'm':
				require.Equal(t, "0", values[1])
				column += number(t, values[0])
			case 'h':
				for range number(t, values[0]) {
					require.Empty(t, cells[[2]int{row, column}])
					cells[[2]int{row, column}] = colour
					column++
				}
			}
		}
	}
	return cells
}

// TestPictureSizes: pictures of large tables stay small, and the table itself, too.
func TestPictureSizes(t *testing.T) {
	const N = 1000
	require.Less(t, len(svg(t, Fill(gossip.Pipelined(N)))), 10<<20)
	if *full { // 750,000 steps
		require.Less(t, len(svg(t, Step(Setting{Orders: gossip.Identity(N)}))), 10<<20)
	}
}

// BenchmarkTable makes and measures the largest table: 4096 rows of 12285 columns.
func BenchmarkTable(b *testing.B) {
	const N = 4095
	for b.Loop() {
		table := gossip.NewTable(N + 1)
		for p := range N + 1 { // the shape of a pipelined run
			for i := range N {
				table.Add(p, uint32(p+i), gossip.Cell{Action: gossip.Sent, Peer: uint32((p + 1 + i) % (N + 1))})
			}
			for i := range N {
				table.Add(p, uint32(p+N+1+i), gossip.Cell{Action: gossip.Received, Peer: uint32(i)})
			}
		}
		b.ReportMetric(float64(table.Columns()), "columns")
	}
	b.ReportAllocs()
}
