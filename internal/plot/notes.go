package plot

import (
	"fmt"
	"strings"

	"starloom/traces"
)

// arrivedOnly says how many measured packets of a run of a row had not arrived, if a figure is of those that had, "" for none.
func (t *Table) arrivedOnly(row int, figure string) string {
	pending, _, _, err := t.column("--y", "pending")
	if err != nil || !strings.HasPrefix(figure, "latency") && !strings.HasPrefix(figure, "network_latency") {
		return ""
	}
	if left, known, err := t.number(row, pending); err == nil && known && left > 0 {
		return fmt.Sprintf("%.4g", left)
	}
	return ""
}

const fewShown = 4

func fewText(points []string) string {
	if len(points) == 0 {
		return ""
	}
	more := ""
	if len(points) > fewShown {
		points, more = points[:fewShown], fmt.Sprintf(" and %d more points", len(points)-fewShown)
	}
	return "some points are of the packets that had arrived, the quicker ones; of others a run had left " + strings.Join(points, ", ") + more
}

func bareText(points int) string {
	if points == 0 {
		return ""
	}
	return fmt.Sprintf("of %s the interval reaches down to 0, which a logarithmic axis cannot show", traces.Plural(points, "point", "points"))
}
