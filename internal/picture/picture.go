package picture

import (
	"bytes"

	"starloom/traces/figure"
)

// Kind is a kind of pictures of a run.
type Kind string

// The kinds, as options name them.
const (
	KindTopology Kind = "topology" // processors, media, and who drives and hears what
	KindHeat     Kind = "heat"     // media over time: frames, collisions, frames that wait
	KindLatency  Kind = "latency"  // how long packets or frames take
	KindTimeline Kind = "timeline" // what processors do over time
)

// Kinds are all of them.
var Kinds = []Kind{KindTopology, KindHeat, KindLatency, KindTimeline}

func drawn(title string, figures ...*figure.Figure) ([]byte, error) {
	var b bytes.Buffer
	err := figure.WriteSheet(&b, title, figures...)
	return b.Bytes(), err
}
