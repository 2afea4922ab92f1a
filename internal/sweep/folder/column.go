package folder

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"starloom/fabric/outcome"
)

// confidence is that of the intervals in the table of points.
const confidence = 0.95

type column struct {
	name    string
	numeric bool // some run of some point has it, as a number
	values  outcome.Histogram
	unit    string // of a point's runs, if that is what the column has
}

// UnitEnding is that of a column which says in what a figure is, where networks differ in that: accepted.unit.
const UnitEnding = ".unit"

func (c *column) isUnit() bool { return strings.HasSuffix(c.name, UnitEnding) }

// add adds a run's value. Times to finish are those of the runs that passed.
func (c *column) add(value any, passed bool) {
	if unit, ok := value.(string); ok && c.isUnit() {
		c.unit = unit // of all runs of a point
	}
	text, ok := value.(json.Number)
	if !ok || !passed && slices.Contains(outcome.FinishingTimes, c.name) {
		return
	}
	if x, err := strconv.ParseFloat(string(text), 64); err == nil {
		c.values.Add(x)
	}
}

// cells are mean, standard deviation, and the ends of the interval for the mean: empty for what so few runs do not have.
func (c *column) cells() [4]string {
	s := c.values.Statistic(c.name)
	switch {
	case s.Mean == nil:
		return [4]string{}
	case s.SD == nil:
		return [4]string{outcome.ExactFloat(*s.Mean)}
	}
	half := float64(studentT(s.Runs-1) * *s.SE)
	return [4]string{outcome.ExactFloat(*s.Mean), outcome.ExactFloat(*s.SD), outcome.ExactFloat(*s.Mean - half), outcome.ExactFloat(*s.Mean + half)}
}

// studentT is the quantile of Student's t distribution that belongs to the confidence. It is rounded, so that the last digits,
// which differ between processors that multiply and add in one go and others, do not show.
func studentT(degrees uint64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile((1 + confidence) / 2)
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(t, 'e', 9, 64), 64)
	if err != nil || math.IsNaN(rounded) {
		panic(fmt.Sprintf("sweep: the quantile for %d degrees of freedom is %v", degrees, t))
	}
	return rounded
}

func cell(value any) string {
	switch v := value.(type) {
	case json.Number:
		if x, err := strconv.ParseFloat(string(v), 64); err == nil && !integer(string(v)) {
			return outcome.ExactFloat(x)
		}
		return string(v)
	case string:
		return v
	}
	return ""
}

func integer(text string) bool {
	for _, c := range text {
		if c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
