package fabric

// Plane is where processors are. Neighbours are at distance 1.
type Plane struct {
	// Place is where a processor is; drawn is false for those of other planes.
	Place func(processor int) (x, y float64, drawn bool)
	// Step is where a port leads to, from its processor; 0, 0 to another plane.
	Step func(port int) (dx, dy float64)
}

// Sketch is where processors and media are in a plane; neighbours are about 1 apart.
type Sketch struct {
	Processors []Spot
	Media      []Spot        // those that are drawn as nodes
	At         []int         // by medium: which of Media it is, -1 for a line between processors
	Latencies  []string      // by medium: cycles, "" for those that all have; nil for none
	Round      map[int]Place // media of lines that lead round to the other side: the way in which they leave
	Lines      []SketchLine  // between nodes of Media, which no port of a processor leads to
}

// SketchLine is a medium between two nodes of Media.
type SketchLine struct {
	Medium, From, To int
	Number           int // of the other end, where the line leads round
}

// Spot is something with a name at a place.
type Spot struct {
	Name  string
	Kind  string    // of a medium that is a node: what it is called
	Shape SpotShape // of such a node
	Path  string    // of a node that stands for several media, whose paths begin with it; else ""
	Place
}

// SpotShape is what a medium looks like.
type SpotShape uint8

// The shapes.
const (
	Round   SpotShape = iota // a disc
	Flat                     // a bar
	Crossed                  // a box with a cross
	Boxed                    // an empty box
)

// Place is a place in a plane.
type Place struct{ X, Y float64 }
