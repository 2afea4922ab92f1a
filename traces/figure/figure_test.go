package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/svg"
)

// drawn is a figure as SVG, which is XML and the same each time.
func drawn(t *testing.T, f Figure) string {
	var text, again strings.Builder
	require.NoError(t, f.WriteSVG(&text))
	require.NoError(t, f.WriteSVG(&again))
	require.Equal(t, text.String(), again.String())
	decoder := xml.NewDecoder(strings.NewReader(text.String()))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		require.NoError(t, err)
	}
}

// ticks are where the grid lines of an axis stand, in order.
func ticks(t *testing.T, picture, pattern string) (at []float64) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(picture, -1) {
		value, err := strconv.ParseFloat(match[1], 64)
		require.NoError(t, err)
		at = append(at, value)
	}
	return at
}

// TestPointsStandAtTheirTicks draws points whose values are ticks.
func TestPointsStandAtTheirTicks(t *testing.T) {
	picture := drawn(t, Figure{
		Title: "a < b", X: Axis{Label: "N", Scale: Log2}, Y: Axis{Label: "steps"},
		Curves: []Curve{
			XY("one & two", Line, []float64{16, 1, 4}, []float64{40, 0, 10}), // any order
			{Name: "dots", Style: Dots, Points: []Point{{X: 8, Y: 20, Low: 10, High: 30}}},
			{Name: "area", Style: Dashed, Points: []Point{{X: 1, Y: 20, Low: 10, High: 30}, {X: 2, Y: 20}, {X: 4, Y: 20, Low: 10, High: 40}}},
			{Name: "both", Style: Dashed, Points: []Point{{X: 8, Y: 20, Low: 10, High: 30}, {X: 16, Y: 20, Low: 10, High: 40}}},
		},
	})
	x := ticks(t, picture, `M([0-9.]+) [0-9.]+L[0-9.]+ [0-9.]+" fill="none" class="s2"`)[:5] // 1, 2, 4, 8, 16
	y := ticks(t, picture, `M[0-9.]+ ([0-9.]+)L[0-9.]+ [0-9.]+" fill="none" class="s2"`)[5:] // 0, 5, 10 ... 40
	require.Len(t, y, 9)
	require.InDelta(t, x[0]+x[4], 2*x[2], 0.02, "powers of two are equally far apart")
	at := func(command string, column, row int) string {
		return command + strconv.FormatFloat(x[column], 'f', -1, 64) + " " + strconv.FormatFloat(y[row], 'f', -1, 64)
	}
	require.Contains(t, picture, `"`+at("M", 0, 0)+at("L", 2, 2)+at("L", 4, 8)+`" fill="none" class="s3"`)
	require.Contains(t, picture, `"`+at("M", 3, 2)+at("L", 3, 6)+`" fill="none" class="s4"`, "the bar of a dot")
	require.Contains(t, picture, at("L", 4, 8)+at("L", 4, 2)+at("L", 3, 2), "the band")
	require.Equal(t, 1, strings.Count(picture, "fill-opacity"), "a band takes two points side by side")
	for _, text := range []string{"<title>a &lt; b</title>", ">one &amp; two</text>", "<g><title>one &amp; two</title>", ">N</text>", ">steps</text>",
		"stroke-dasharray", "steps over N.", "prefers-color-scheme:dark"} {
		require.Contains(t, picture, text)
	}
}

// TestCurvesDiffer checks that each curve has its own colour and marker, that curves of one thing share a colour, and
// that published curves have the colour of text.
func TestCurvesDiffer(t *testing.T) {
	f := Figure{Curves: []Curve{
		{Name: "a", Style: Marked}, {Name: "b", Style: Marked}, {Name: "law of a", Of: "a", Style: Dashed},
		{Name: "paper", Of: "paper", Style: Published}, {Name: "c", Style: Bars},
	}}
	d := drawing{Figure: &f}
	var colours []svg.Colour
	for i := range f.Curves {
		colours = append(colours, d.curve(i).colour())
	}
	require.Equal(t, []svg.Colour{svg.Of(0), svg.Of(1), svg.Of(0), svg.Ink, svg.Of(2)}, colours)
	require.NotEqual(t, d.curve(0).glyph().Shape, d.curve(1).glyph().Shape)
	looks := map[string]bool{}
	for number := range 64 {
		c := curve{d: &d, c: &Curve{}, number: number}
		looks[fmt.Sprintf("%v %#v", c.colour(), c.glyph().Shape)] = true
	}
	require.Len(t, looks, 64, "curves that look alike")
}

func TestHeat(t *testing.T) {
	picture := drawn(t, Figure{Title: "media", X: Axis{Label: "slot"}, Y: Axis{Names: []string{"bus[0]", "bus[1]"}},
		Cells: &Cells{Label: "frames", Values: [][]float64{{0, 1, 2}, {math.NaN(), 4, 4}}}})
	require.Equal(t, 4, strings.Count(picture, "crispEdges")-rampSteps, "a cell that is not a number is empty; those of one value are one shape")
	require.Equal(t, 1+1, strings.Count(picture, `fill="#fee838"`), "the largest values, and the legend")
	area := func(fill string) (width, height float64) {
		corners := regexp.MustCompile(`M([0-9.]+) ([0-9.]+)H([0-9.]+)V([0-9.]+)H[0-9.]+Z" fill="` + fill).FindStringSubmatch(picture)
		require.NotNil(t, corners, fill)
		var at [4]float64
		for i := range at {
			var err error
			at[i], err = strconv.ParseFloat(corners[i+1], 64)
			require.NoError(t, err)
		}
		return at[2] - at[0], at[1] - at[3]
	}
	one, high := area("#00224e")
	two, same := area("#fee838")
	require.InDelta(t, 2*one, two, 0.02, "side by side they are one rectangle")
	require.InDelta(t, high, same, 0.02)
	for _, text := range []string{">bus[1]</text>", ">frames</text>", ">slot</text>"} {
		require.Contains(t, picture, text)
	}
}

func TestPNG(t *testing.T) {
	f := Figure{Title: "bars", Curves: []Curve{{Name: "a", Style: Bars, Points: []Point{{X: 1, Y: 3}, {X: 2, Y: 1}}}}}
	corner := map[bool]uint32{false: 0xffffff, true: 0x14171c}
	for _, night := range []bool{false, true} {
		var b bytes.Buffer
		require.NoError(t, f.WritePNG(&b, night))
		picture, err := png.Decode(&b)
		require.NoError(t, err)
		r, g, blue, _ := picture.At(0, 0).RGBA()
		require.Equal(t, corner[night], r>>8<<16|g>>8<<8|blue>>8)
	}
}

func TestTicks(t *testing.T) {
	texts := func(axis Axis, least, most float64) string {
		var all []string
		for _, tick := range (ticker{&axis, 20, ticksMax}).Ticks(least, most) {
			all = append(all, tick.Label)
		}
		return strings.Join(all, " ")
	}
	require.Equal(t, "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1", texts(Axis{}, 0, 1))
	require.Equal(t, "0 5e8 1e9 1.5e9 2e9 2.5e9", texts(Axis{}, 0, 2.7e9))
	require.Equal(t, "0 20 40 60 80 100 120 140 160", texts(Axis{}, 0, 160))
	require.Equal(t, "2.6 2.62 2.64 2.66 2.68 2.7", texts(Axis{}, 2.6, 2.7))
	require.Equal(t, "-10 -8 -6 -4 -2 0 2 4", texts(Axis{}, -10, 5))
	require.Equal(t, "2 4 8 16", texts(Axis{Scale: Log2}, 2, 20))
	require.Equal(t, "1 32 1024 32768 2^20", texts(Axis{Scale: Log2}, 1, 1<<24))
	require.Equal(t, "2 5 10 20", texts(Axis{Scale: Log10}, 2, 40))
	require.Equal(t, "1 10 100 1000 10000", texts(Axis{Scale: Log10}, 1, 20000))
	require.Equal(t, "3 3.5 4 4.5 5 5.5 6 6.5 7", texts(Axis{Scale: Log2}, 2.9, 7.1), "one power is too few")
	require.Equal(t, "a b", texts(Axis{Names: []string{"a", "b"}}, -0.5, 1.5))
}

// TestWidth: a figure is as wide as told, and its text has 12 points at every width.
func TestWidth(t *testing.T) {
	f := Figure{Title: strings.Repeat("a long title ", 6), X: Axis{Label: "load"}, Y: Axis{Label: "latency"}, Note: strings.Repeat("a long note ", 12)}
	for k := range 6 {
		f.Curves = append(f.Curves, XY(fmt.Sprintf("virtual channels %d", k), Marked, []float64{0, 100_000}, []float64{1, float64(k)}))
	}
	for _, width := range []float64{WidthNarrow, 0, 900} {
		f.Width = width
		picture := drawn(t, f)
		require.Contains(t, picture, fmt.Sprintf(` width="%g"`, max(width, map[bool]float64{true: Width}[width == 0])))
		for _, text := range regexp.MustCompile(`<text x="([0-9.]+)"[^>]* font-size="([0-9.]+)"[^>]*textLength="([0-9.]+)"[^>]*>`).FindAllStringSubmatch(picture, -1) {
			var at [3]float64
			for i := range at {
				at[i], _ = strconv.ParseFloat(text[i+1], 64)
			}
			require.GreaterOrEqual(t, at[1], 12.0)
			if !strings.Contains(text[0], "rotate") {
				require.LessOrEqual(t, at[0]+at[2], max(width, Width*map[bool]float64{true: 1}[width == 0]), text[0])
			}
		}
	}
}

// TestRanges: axes cover the data; a single value has a tenth of it on either side, a single count 1.
func TestRanges(t *testing.T) {
	require.Equal(t, span{90, 110}, (&Axis{}).around(100))
	require.Equal(t, span{-1, 1}, (&Axis{}).around(0))
	require.Equal(t, span{2, 4}, (&Axis{Whole: true}).around(3))
	labels := regexp.MustCompile(`>(0\.[0-9]+)</text>`).FindAllStringSubmatch(drawn(t, Figure{Title: "constant",
		Curves: []Curve{XY("a", Marked, []float64{10, 12}, []float64{0.667, 0.667})}}), -1)
	require.NotEmpty(t, labels)
	for _, label := range labels {
		value, err := strconv.ParseFloat(label[1], 64)
		require.NoError(t, err)
		require.InDelta(t, 0.667, value, 0.07)
	}
}

// TestHover: a point shows its values; saturated points have hollow markers, except for the first, which joins them.
func TestHover(t *testing.T) {
	picture := drawn(t, Figure{Title: "t", Curves: []Curve{
		{Name: "head_o", Style: Marked, Points: []Point{{X: 0.1, Y: 23.0213, Low: 22.81, High: 23.2326}, {X: 0.2, Y: 30}}},
		{Name: "head_o, saturated", Of: "head_o", Style: Beyond, Unlisted: true, Points: []Point{{X: 0.2, Y: 30}, {X: 0.3, Y: 90, Low: 80, High: 130}}},
		{Name: "other", Style: Bars, Points: []Point{{X: 1, Y: 3}}},
	}})
	for _, text := range []string{"head_o: 23.02 ± 0.21 at 0.1", "head_o: 30 at 0.2", "head_o, saturated: 90 (80 to 130) at 0.3", "other: 3 at 1"} {
		require.Contains(t, picture, "<title>"+text+"</title>")
	}
	require.NotContains(t, picture, "saturated: 30")
	require.Equal(t, 3, strings.Count(picture, "pointer-events"))
	require.NotContains(t, picture, ">head_o, saturated</text>")
}

func TestWhatCannotBeDrawn(t *testing.T) {
	for _, f := range []Figure{
		{Title: "none"},
		{Title: "nan", Curves: []Curve{XY("a", Line, []float64{1}, []float64{math.NaN()})}},
		{Title: "infinite", Curves: []Curve{{Points: []Point{{High: math.Inf(1)}}}}},
		{Title: "log", X: Axis{Scale: Log2}, Curves: []Curve{XY("a", Line, []float64{0}, []float64{1})}},
		{Title: "log", Y: Axis{Scale: Log10}, Curves: []Curve{{Points: []Point{{X: 1, Y: 1, High: 2}}}}},
	} {
		var text strings.Builder
		require.ErrorContains(t, f.WriteSVG(&text), f.Title)
		require.Empty(t, text.String())
		require.ErrorContains(t, f.WritePNG(&text, false), f.Title)
	}
}
