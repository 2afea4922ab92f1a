package fabric

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"

	"starloom/traces/meaning"
)

// RunTable is who did what in each step of a run, a row per processor: sent, received,
// waited, was blocked.
type RunTable interface {
	WriteCSV(w io.Writer) error
	WriteSVG(w io.Writer) error
}

// Tabled is a referee that keeps a run-table, nil unless Load.Table asks for it: of the slots that have crossed, of which there are so many.
// What is sent at the boundary at which a run ends never crosses.
type Tabled interface{ RunTable(slots uint32) RunTable }

// Metrics are the figures of a run's workload, in the network's order.
type Metrics []Metric

// Metric is one figure: an integer, a float64, a text, a slice of numbers, or what is Lined; nil if
// this run does not have it, which is null in JSON and `-` for people.
type Metric struct {
	Name  string
	Value any
	In    string // its unit, where other networks have another one; else ""
	Of    string // what it is of, where that is not all; else ""

	Former bool // another name of a figure, for one more version: for scripts, not for people
}

// Lined is the value of a Metric that has a line for each of its parts in a report for people.
type Lined interface{ Lines() []string }

// Pooled is the value of a Metric of which many runs together say more than statistics of each: Pool adds what
// another run has, nil for nothing so far, and Figures are those of all, by the name of the Metric.
type Pooled interface {
	Pool(all Pooled) Pooled
	Figures(name string) Metrics
}

// Add appends one figure.
func (m *Metrics) Add(name string, value any) { *m = append(*m, Metric{Name: name, Value: value}) }

// AddKnown appends a figure that only some runs have: nil unless it is known.
func (m *Metrics) AddKnown(known bool, name string, value any) {
	if !known {
		value = nil
	}
	m.Add(name, value)
}

// AddIn appends one with its unit in this run.
func (m *Metrics) AddIn(unit string, known bool, name string, value any) {
	m.AddKnown(known, name, value)
	(*m)[len(*m)-1].In = unit
}

// Get returns the figure of that name, nil if there is none or it is not known.
func (m Metrics) Get(name string) any {
	for i := range m {
		if m[i].Name == name {
			return m[i].Value
		}
	}
	return nil
}

// MarshalJSON writes an object whose keys are in the metrics' order.
func (m Metrics) MarshalJSON() ([]byte, error) {
	return MarshalObject(len(m), func(i int) (string, any) { return m[i].Name, m[i].Value })
}

// MarshalObject writes a JSON object of n keys in the order that is given.
func MarshalObject(n int, entry func(i int) (name string, value any)) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		key, value := entry(i)
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", key, err)
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(data)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

//go:embed metrics.yaml
var metrics string

// Meanings says what rules, faults and the figures of packets mean.
func Meanings() []MeaningGroup { return ReadMeanings(metrics) }

// MeaningGroup is what belongs together among the figures of a network, as `starloom explain` shows it.
type MeaningGroup = meaning.Group

// Meaning is what one of them means.
type Meaning = meaning.Entry

// ReadMeanings reads groups from text of the program, such as metrics.yaml of this package. It panics on a mistake.
func ReadMeanings(text string) []MeaningGroup { return meaning.Must(text) }
