package picture

import (
	"bytes"

	"starloom/traces/figure"
)

// Kind is a kind of picture of a run.
type Kind string

// Kinds by the names of options.
const (
	KindTopology Kind = "topology" // processors, media and their wiring
	KindHeat     Kind = "heat"     // media over time: frames, collisions, waiting frames
	KindLatency  Kind = "latency"  // latencies of packets or frames
	KindTimeline Kind = "timeline" // acts of processors over time
)

// Kinds lists all kinds.
var Kinds = []Kind{KindTopology, KindHeat, KindLatency, KindTimeline}

// drawn draws figures below each other, with a width, 0 for the default.
func drawn(title string, width float64, figures ...*figure.Figure) ([]byte, error) {
	for _, f := range figures {
		f.Width = width
	}
	var b bytes.Buffer
	err := figure.WriteSheet(&b, title, figures...)
	return b.Bytes(), err
}
