package fabric

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"

	"starloom/traces/meaning"
)

// RunTable is a table of a run with a row per processor and a column per step. A cell shows the activities of the
// processor: sending, receiving, waiting, blocked.
type RunTable interface {
	WriteCSV(w io.Writer) error
	WriteSVG(w io.Writer) error
}

// Tabled is a referee with a run-table. RunTable returns the table for a number of crossed slots, or nil unless
// Load.Table is set. Frames sent at the last boundary never cross.
type Tabled interface{ RunTable(slots uint32) RunTable }

// Metrics holds the figures of a run's workload in the network's order.
type Metrics []Metric

// Metric is one figure: an integer, a float64, a text, a slice of numbers, or a Lined. A nil Value means an unknown
// figure: null in JSON, and "-" in text.
type Metric struct {
	Name  string
	Value any
	In    string // unit, if it differs from the unit in other networks
	Of    string // covered part of the network, "" for the whole network

	Former bool // former name of a figure; scripts can use it during one version, and texts omit it
}

// Lined is the Value of a Metric with several lines in the text report.
type Lined interface{ Lines() []string }

// Pooled is the Value of a Metric that is pooled over runs instead of averaged. Pool adds the value to all, which is
// nil in the first call. Figures returns the pooled figures under the name of the Metric.
type Pooled interface {
	Pool(all Pooled) Pooled
	Figures(name string) Metrics
}

// Add appends a figure.
func (m *Metrics) Add(name string, value any) { *m = append(*m, Metric{Name: name, Value: value}) }

// AddKnown appends a figure. If known is false, the figure's Value is nil.
func (m *Metrics) AddKnown(known bool, name string, value any) {
	if !known {
		value = nil
	}
	m.Add(name, value)
}

// AddIn is AddKnown with a unit.
func (m *Metrics) AddIn(unit string, known bool, name string, value any) {
	m.AddKnown(known, name, value)
	(*m)[len(*m)-1].In = unit
}

// Get returns the named figure, or nil if the figure is missing or unknown.
func (m Metrics) Get(name string) any {
	for i := range m {
		if m[i].Name == name {
			return m[i].Value
		}
	}
	return nil
}

// MarshalJSON writes an object with keys in the order of the metrics.
func (m Metrics) MarshalJSON() ([]byte, error) {
	return MarshalObject(len(m), func(i int) (string, any) { return m[i].Name, m[i].Value })
}

// MarshalObject writes a JSON object with count keys in the given order.
func MarshalObject(count int, entry func(i int) (name string, value any)) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range count {
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

// Meanings returns the meanings of rules, faults and figures of packets.
func Meanings() []MeaningGroup { return ReadMeanings(metrics) }

// MeaningGroup is a group of related figures in the form of `starloom explain`.
type MeaningGroup = meaning.Group

// Meaning is the meaning of one figure.
type Meaning = meaning.Entry

// ReadMeanings parses meanings embedded in the program, such as metrics.yaml of this package. It panics on an error.
func ReadMeanings(text string) []MeaningGroup { return meaning.Must(text) }
