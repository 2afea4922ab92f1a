package picture

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"starloom/traces"
	"starloom/traces/figure"
)

// Latency is the distribution of packet or frame latencies.
type Latency struct {
	Title  string
	What   string      // "packets" or "frames"
	Unit   string      // unit of a latency: "slots" or "cycles"
	Counts [][2]uint64 // pairs of latency and number of packets, ascending
	Note   string
}

// Latency returns the latencies of frames from TX queue to receiver.
func (c *Collector) Latency(title string) *Latency {
	l := &Latency{Title: title, What: "frames", Unit: "slots",
		Note: "From the slot in which a frame is queued to the end of the slot in which any receiver receives it. "}
	for _, slots := range slices.Sorted(maps.Keys(c.took)) {
		l.Counts = append(l.Counts, [2]uint64{uint64(slots), c.took[slots]})
	}
	if c.unreceived > 0 {
		l.Note += fmt.Sprintf("Not drawn: %s without a receiver. ", traces.Plural(c.unreceived, "frame", "frames"))
	}
	l.Note += c.since()
	return l
}

// PacketLatency returns the latencies of measured traffic packets between two events, which span names. counts holds
// pairs of latency and number of packets, ascending; left packets have not arrived.
func PacketLatency(title, unit, span string, counts [][2]uint64, left uint64) *Latency {
	l := &Latency{Title: title, What: "packets", Unit: unit, Counts: counts,
		Note: span + ", for measured packets. "}
	if left > 0 {
		l.Note += fmt.Sprintf("Not drawn: %s in flight when the run ended, or lost. ",
			traces.Plural(left, "packet", "packets"))
	}
	return l
}

// barsMax and barsMin+1 are the limits of the number of bars.
const barsMax, barsMin = 60, 4

func (l *Latency) quantile(of uint64) uint64 {
	total := uint64(0)
	for _, n := range l.Counts {
		total += n[1]
	}
	rank := (total*of + 999) / 1000
	for _, n := range l.Counts {
		if rank <= n[1] {
			return n[0]
		}
		rank -= n[1]
	}
	return 0
}

// SVG draws bars, and quantiles as lines.
func (l *Latency) SVG() ([]byte, error) { return drawn(l.Title, 0, l.figure()) }

// Narrow is SVG for a phone.
func (l *Latency) Narrow() ([]byte, error) { return drawn(l.Title, figure.WidthNarrow, l.figure()) }

func (l *Latency) figure() *figure.Figure {
	f := &figure.Figure{
		Title: l.Title + ": latency of " + l.What, Note: l.Note,
		X: figure.Axis{Label: "latency in " + l.Unit, Whole: true}, Y: figure.Axis{Label: l.What, Whole: true},
	}
	if len(l.Counts) == 0 {
		f.Note = "No " + l.What + " have arrived. " + f.Note
		f.Curves = []figure.Curve{figure.XY(l.What, figure.Bars, []float64{1}, []float64{0})}
		return f
	}
	least, most := l.Counts[0][0], l.Counts[len(l.Counts)-1][0]
	shown := most
	if tail := l.quantile(999); most-least >= 3*(tail-least+20) { // a long tail would leave no room for the other bars
		shown = tail
	}
	width := barWidth(shown - least)
	bars, beyond, high := map[uint64]uint64{}, uint64(0), uint64(0)
	for _, n := range l.Counts {
		if n[0] > shown {
			beyond += n[1]
			continue
		}
		bars[n[0]/width] += n[1]
		high = max(high, bars[n[0]/width])
	}
	c := figure.Curve{Name: l.What, Style: figure.Bars}
	for bar := least / width; bar <= max(shown/width, least/width+barsMin); bar++ {
		c.Points = append(c.Points, figure.Point{X: float64(bar*width) + float64(float64(width-1)/2), Y: float64(bars[bar])})
	}
	f.Curves = append([]figure.Curve{c}, l.quantiles(shown, float64(high))...)
	if width > 1 {
		f.Note += fmt.Sprintf("A bar covers %d %s. ", width, l.Unit)
	}
	if beyond > 0 {
		f.Note += fmt.Sprintf("Not drawn: %s with longer latencies, up to %d %s. ",
			traces.Plural(beyond, strings.TrimSuffix(l.What, "s"), l.What), most, l.Unit)
	}
	return f
}

// barWidth returns the number of slots per bar: 1, 2, 5, 10, 20, 50 and so on.
func barWidth(slots uint64) uint64 {
	for unit := uint64(1); ; unit *= 10 {
		for _, factor := range []uint64{1, 2, 5} {
			if slots/(factor*unit) < barsMax {
				return factor * unit
			}
		}
	}
}

// quantiles returns vertical lines of a given height. Equal quantiles share a line.
func (l *Latency) quantiles(shown uint64, high float64) (lines []figure.Curve) {
	var names []string
	quantiles := []struct {
		name string
		of   uint64
	}{{"median", 500}, {"95 %", 950}, {"99 %", 990}}
	for i, q := range quantiles {
		at := l.quantile(q.of)
		names = append(names, q.name)
		if at > shown || i+1 < len(quantiles) && l.quantile(quantiles[i+1].of) == at {
			continue
		}
		name := fmt.Sprintf("%s: %d", strings.Join(names, ", "), at)
		lines, names = append(lines, figure.XY(name, figure.Dashed, []float64{float64(at), float64(at)},
			[]float64{0, high})), nil
	}
	return lines
}
