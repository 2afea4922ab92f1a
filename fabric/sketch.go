package fabric

// Plane holds positions of processors. Neighbours are at distance 1.
type Plane struct {
	// Place returns the position of a processor. drawn is false for a processor in another plane.
	Place func(processor int) (x, y float64, drawn bool)
	// direction from a processor to its port's neighbour; 0, 0 for a port to another plane
	Step func(port int) (dx, dy float64)
}

// Sketch holds positions of processors and media in a plane. Neighbours are about 1 apart.
type Sketch struct {
	Processors []Spot
	Media      []Spot        // media drawn as nodes
	At         []int         // by medium: its index in Media, -1 for a line between processors
	Latencies  []string      // by medium: latency in cycles, "" for the common latency; nil if all latencies are equal
	Round      map[int]Place // by wraparound line: direction in which the line leaves
	Lines      []SketchLine  // lines between nodes of Media without a processor's port
}

// SketchLine is a medium between two nodes of Media.
type SketchLine struct {
	Medium, From, To int
	Number           int // number at the other end of a wraparound line
}

// Spot is a named position.
type Spot struct {
	Name  string
	Kind  string    // noun for a medium drawn as a node
	Shape SpotShape // shape of the node
	Path  string    // common prefix of the paths of several media represented by one node, otherwise ""
	Place
}

// SpotShape is the drawn shape of a medium.
type SpotShape uint8

const (
	Round   SpotShape = iota // a disc
	Flat                     // a bar
	Crossed                  // a box with a cross
	Boxed                    // an empty box
)

// Place is a position in a plane.
type Place struct{ X, Y float64 }
