package outcome

import "starloom/traces"

// Scene is what a run did around one of its violations, or where a fault struck first: frames, the way of packets in
// them, signals. It is for pages, and found by repeating the run.
type Scene struct {
	Violation  int // its place in Report.Violations, -1 for...
	Fault      int // ...that of a fault in Report.Faults
	Cycle      uint64
	Slot       uint64
	Decides    *uint64 // a later slot that is shown, too: that in which a paused handler misses what was due; nil for none
	Path       string
	Sender     string       // path of the processor that has sent what has not arrived, "" for none
	Beside     []string     // paths of scopes whose signals belong to it, too: the sender, and the medium that it asks for
	Frames     []SceneFrame // on the medium or at the processor, in the order of cycles
	FramesLeft int          // not listed
	Trails     []Trail      // of packets in the frames of its slot
	TrailsLeft int
	Untrailed  string      // why packets are not followed, "" if they are
	Waves      *SceneWaves // nil for none, then...
	Unshown    string      // ...why
	Still      []string    // signals that do not change, each with its value
}

// SceneFrame is a frame at a port, when its first phit leaves or its last one has come.
type SceneFrame struct {
	Cycle, Slot uint64
	Path        string // of the port
	Processor   int
	Sent        bool   // else heard, then...
	Status      string // ...what the receiver said
	Medium      string // its path, and...
	Link        string // ...that of what leads from it to its listeners

	// Of a frame that can be read.
	Kind                string // "" for a frame that cannot
	Source, Destination uint32
	Payload             []byte
	Answers             []byte // of an ack: the payload of the data frame that its sender had heard last, or had heard an ack of; nil for none
}

// Trail is the way of a packet through a network: the frames with its payload.
type Trail struct {
	Payload    []byte
	Frames     []SceneFrame
	FramesLeft int
}

// SceneWaves are signals around a cycle. Cycles in which none of them changes are left out.
type SceneWaves struct {
	Columns     []uint64 // cycles
	Rows        []traces.WaveRow
	Marked      int      // column of the violation, or fault
	Decides     int      // column in which the slot begins that decides, 0 for none
	SignalsLeft int      // signals that change, too, and are not shown
	Patterns    []string // globs of the signals, as traces.vcd.signals takes them
}

// Picture is SVG with what it shows.
type Picture struct {
	Caption string
	SVG     []byte
}
