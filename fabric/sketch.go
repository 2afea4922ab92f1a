package fabric

// Plane holds positions of processors. Neighbours are at distance 1.
type Plane struct {
	// Place returns the position of a processor; drawn is false in other planes.
	Place func(processor int) (x, y float64, drawn bool)
	// Step returns the direction of a port from its processor; 0, 0 for another plane.
	Step func(port int) (dx, dy float64)
}

// Sketch holds positions of processors and media in a plane. Neighbours are about 1 apart.
type Sketch struct {
	Processors []Spot
	Media      []Spot        // media drawn as nodes
	At         []int         // by medium: its index in Media, -1 for a line between processors
	Latencies  []string      // by medium: latency in cycles, "" for the common one; nil for none
	Round      map[int]Place // wraparound lines: directions in which they leave
	Lines      []SketchLine  // lines between nodes of Media that no port of a processor leads to
}

// SketchLine is a medium between two nodes of Media.
type SketchLine struct {
	Medium, From, To int
	Number           int // number of the other end of a wraparound line
}

// Spot is a named position.
type Spot struct {
	Name  string
	Kind  string    // noun for a medium drawn as a node
	Shape SpotShape // shape of such a node
	Path  string    // common prefix of the media's paths if a node represents several, otherwise ""
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
