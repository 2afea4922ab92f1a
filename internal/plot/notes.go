package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starloom/traces"
)

// someRuns says how many of the runs of a row have a figure that saturated runs lack, "" for all.
func (t *Table) someRuns(row int, figure string) string {
	saturated, _, _, err := t.column("--y", "saturated")
	runs := slices.Index(t.Columns, "runs")
	if err != nil || runs < 0 || !strings.HasPrefix(figure, "latency") && !strings.HasPrefix(figure, "network_latency") {
		return ""
	}
	share, known, err := t.number(row, saturated)
	all, counted, errRuns := t.number(row, runs)
	if err != nil || errRuns != nil || !known || !counted || share <= 0 || share >= 1 {
		return ""
	}
	return fmt.Sprintf("%.0f of %.0f runs", all-math.Round(all*share), all)
}

// fewShown is how many points a note names.
const fewShown = 4

// fewText names points that stand for some of their runs.
func fewText(points []string) string {
	if len(points) == 0 {
		return ""
	}
	more := ""
	if len(points) > fewShown {
		points, more = points[:fewShown], fmt.Sprintf(" and %d more points", len(points)-fewShown)
	}
	return "some points are means of the runs that were not saturated, the quicker ones: " + strings.Join(points, ", ") + more
}

// bareText says that intervals are not drawn.
func bareText(points int) string {
	if points == 0 {
		return ""
	}
	return fmt.Sprintf("of %s the interval reaches down to 0, which a logarithmic axis cannot show", traces.Plural(points, "point", "points"))
}
