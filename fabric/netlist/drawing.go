package netlist

// Drawing is a network as somebody has drawn it: nodes and links in their order, with ranges in names. A file is
// read into one; a program makes one with New.
type Drawing struct {
	name    string
	onePort bool
	apart   bool
	words   []uint32
	nodes   []node
	links   []link
}

// node is an entry of nodes.
type node struct {
	place string
	name  string // with ranges
	kind  string
	ports []string // of a processor: their names, nil for those that links use
}

// link is an entry of links.
type link struct {
	place   string
	ends    []string // with ranges
	places  []string // of the ends
	oneway  bool
	half    bool
	latency int // Usual for none of its own
}

// The kinds of nodes.
const (
	kindProcessor = "processor"
	kindStar      = "star"
)

var kinds = []string{kindProcessor, kindStar}

// New begins a drawing: name is the head of all paths.
func New(name string) *Drawing { return &Drawing{name: name} }

// Processors adds processors, in ranges such as p[0..3]. Without names of ports, ports are those that links use.
func (d *Drawing) Processors(name string, ports ...string) *Drawing {
	return d.node(node{name: name, kind: kindProcessor, ports: ports})
}

// Stars adds passive stars.
func (d *Drawing) Stars(name string) *Drawing { return d.node(node{name: name, kind: kindStar}) }

func (d *Drawing) node(n node) *Drawing {
	n.place = at("nodes", len(d.nodes))
	d.nodes = append(d.nodes, n)
	return d
}

// Link joins ports of processors, or ports and a star: "p[0..3]:0", "p[4..7]:1". Both ways, unless an option
// says something else.
func (d *Drawing) Link(a, b string, options ...Option) *Drawing {
	l := link{place: at("links", len(d.links)), ends: []string{a, b}, latency: Usual}
	l.places = []string{l.place, l.place}
	for _, option := range options {
		option(&l)
	}
	d.links = append(d.links, l)
	return d
}

// Option is how a link differs from others.
type Option func(*link)

// OneWay is a link from its first end to its second one.
func OneWay() Option { return func(l *link) { l.oneway = true } }

// Half is a half-duplex link: it carries one direction in a slot.
func Half() Option { return func(l *link) { l.half = true } }

// Latency gives a link cycles of its own.
func Latency(cycles int) Option { return func(l *link) { l.latency = cycles } }

// OnePort lets each NIC send to one port, or to all, and hear one; else it does so at all at once.
func (d *Drawing) OnePort() *Drawing { d.onePort = true; return d }

// Apart allows processors that cannot reach each other.
func (d *Drawing) Apart() *Drawing { d.apart = true; return d }

// Network is what was drawn; errors are *Mistakes.
func (d *Drawing) Network() (Network, error) {
	net, err := d.Net()
	if err != nil {
		return Network{}, err
	}
	n := Network{net: net}
	n.fill(d)
	return n, nil
}
