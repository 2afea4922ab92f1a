package plot

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func draw(t *testing.T, p Plot) string {
	var text strings.Builder
	require.NoError(t, p.WriteSVG(&text))
	decoder := xml.NewDecoder(strings.NewReader(text.String()))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		require.NoError(t, err)
	}
}

// tickAt are the pixels of the ticks of both axes by their texts.
func tickAt(t *testing.T, svg string) (x, y map[string]float64) {
	find := func(pattern string) map[string]float64 {
		at := make(map[string]float64)
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(svg, -1) {
			value, err := strconv.ParseFloat(match[1], 64)
			require.NoError(t, err)
			at[match[2]] = value
		}
		return at
	}
	return find(`<text x="([0-9.]+)" y="458.0" text-anchor="middle">(.+)</text>`),
		find(`<text x="72.0" y="([0-9.]+)" text-anchor="end">(.+)</text>`)
}

// TestPointsStandAtTheirTicks draws points whose values are ticks.
func TestPointsStandAtTheirTicks(t *testing.T) {
	p := Plot{
		Title: "a < b", X: Axis{Label: "N", Log2: true}, Y: Axis{Label: "steps"},
		Curves: []Curve{
			XY("one & two", Line, []float64{16, 1, 4}, []float64{40, 0, 10}), // any order
			{Name: "dots", Style: Dots, Points: []Point{{X: 8, Y: 20, Low: 10, High: 30}}},
			{Name: "area", Style: Dashed, Points: []Point{{X: 1, Y: 20, Low: 10, High: 30}, {X: 2, Y: 20}, {X: 4, Y: 20, Low: 0, High: 40}}},
		},
	}
	svg := draw(t, p)
	require.Equal(t, svg, draw(t, p))
	x, y := tickAt(t, svg)
	require.Len(t, x, 5)
	require.InDelta(t, x["1"]+x["16"], 2*x["4"], 0.2, "powers of two are equally far apart")
	at := func(command, column, row string) string {
		return command + strconv.FormatFloat(x[column], 'f', 1, 64) + " " + strconv.FormatFloat(y[row]-4, 'f', 1, 64)
	}
	require.Contains(t, svg, `"`+at("M", "1", "0")+at("L", "4", "10")+at("L", "16", "40")+`" fill="none" stroke="#0072b2"`)
	require.Contains(t, svg, at("M", "8", "10")+"V"+strconv.FormatFloat(y["30"]-4, 'f', 1, 64))
	require.Contains(t, svg, `"`+at("M", "1", "30")+at("L", "4", "40")+at("L", "4", "0")+at("L", "1", "10")+`Z"`)
	for _, text := range []string{"<title>a &lt; b</title>", ">one &amp; two</text>", ">N</text>", ">steps</text>", "stroke-dasharray"} {
		require.Contains(t, svg, text)
	}
}

func TestTicks(t *testing.T) {
	texts := func(axis Axis, least, most float64) string {
		var all []string
		for _, tick := range newScale(axis, least, most, 0, 100).ticks() {
			all = append(all, tick.text)
		}
		return strings.Join(all, " ")
	}
	require.Equal(t, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1", texts(Axis{}, 0, 1))
	require.Equal(t, "0 20 40 60 80 100 120 140 160", texts(Axis{}, 1, 160))
	require.Equal(t, "2.6 2.62 2.64 2.66 2.68 2.7", texts(Axis{}, 2.6, 2.7))
	require.Equal(t, "-10 -8 -6 -4 -2 0 2 4", texts(Axis{}, -10, 5))
	require.Equal(t, "2 4 8 16", texts(Axis{Log2: true}, 2, 20))
	require.Equal(t, "1 32 1024 32768 1048576", texts(Axis{Log2: true}, 1, 1<<24))
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for _, p := range []Plot{
		{Title: "none"},
		{Title: "nan", Curves: []Curve{XY("a", Line, []float64{1}, []float64{math.NaN()})}},
		{Title: "infinite", Curves: []Curve{{Points: []Point{{High: math.Inf(1)}}}}},
		{Title: "log", X: Axis{Log2: true}, Curves: []Curve{XY("a", Line, []float64{0}, []float64{1})}},
		{Title: "log", Y: Axis{Log2: true}, Curves: []Curve{{Points: []Point{{X: 1, Y: 1, High: 2}}}}},
	} {
		var text strings.Builder
		require.ErrorContains(t, p.WriteSVG(&text), p.Title)
		require.Empty(t, text.String())
	}
}
