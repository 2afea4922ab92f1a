package netlist

import (
	"fmt"

	"starloom/fabric"
)

type node struct {
	place string
	name  string   // with ranges
	kind  string   // "" if it is not known
	ports []string // of a processor or a router: their names, nil for those that links use
	open  []string // of these, those that may be without a link
	at    []Place  // where a picture has them, nil if nothing is known
	keys  Serving  // of a bus or a crossbar
	vague bool     // not all of its keys are known

	listed  []portOf       // what ports and open say, once it was looked at
	numbers map[string]int // of these, by their names

	directed string // of a graph whose edges lead one way: where it says so; "" for others
	rtlOf
}

// oneWay adds to what is wrong with a node that a way is not there, as edges of its graph lead one way.
func (n *node) oneWay(reason, remedy string) (string, string) {
	if n.directed == "" {
		return reason, remedy
	}
	return fmt.Sprintf("%s: an edge leads one way, since the graph at %s is directed", reason, n.directed),
		`write edgedefault="undirected" there, so that edges lead both ways, or ` + remedy
}

// rtlOf is the RTL in the place of a node, and where that is written; nil for none.
type rtlOf struct {
	rtl      *NodeRTL
	rtlPlace string
}

type link struct {
	place   string
	ends    []string // with ranges
	places  []string // of the ends
	oneway  bool
	half    bool
	latency int   // Usual for none of its own
	wrong   bool  // it has a latency that cannot be
	vague   bool  // how it joins its ends is not known, or what some of these are
	round   Place // PlanLink.Round
	credits *fabric.CreditLimits
}

const (
	kindProcessor = "processor"
	kindStar      = "star"
	kindBus       = "bus"
	kindCrossbar  = "crossbar"
	kindRouter    = "router"
)

var kinds = []string{kindProcessor, kindStar, kindBus, kindCrossbar, kindRouter}

const (
	accessAll    = "all"
	accessOne    = "one"
	accessSwitch = "switch"
	accessMixed  = "mixed"
)

var accesses = []string{accessAll, accessOne, accessSwitch, accessMixed}

type placed struct {
	*node
	name    string
	index   int // of those that one entry stands for
	number  int // of a processor, of a router, or of the medium of a star
	ports   []portOf
	numbers map[string]int // of ports with names, by these
	named   bool           // its ports have names
	listed  bool           // they are those of the list
	mixed   bool           // some ends of links name its ports, and others do not
	twice   bool           // it is one of two nodes of its name
	loose   bool           // a link that is not drawn may lead to any of its ports
}

// portOf is a port while it is drawn: where its ways out and in were drawn, "" for none.
type portOf struct {
	name     string
	open     bool
	out, in  int
	asks     int  // 1 + the crossbar that it leads to, 0 for none
	routed   bool // it is at a router
	hidden   bool // a link that is not drawn leads to it
	outPlace string
	inPlace  string
}

func (p *placed) known() bool { return p.kind != "" && !p.twice }

func (p *placed) shared() bool {
	return p.kind == kindStar || p.kind == kindBus || p.kind == kindCrossbar
}

// tapOf is a port at a bus or a crossbar, as it is drawn.
type tapOf struct {
	*placed
	port    int
	out, in bool
	latency int
}

// meeting is a node at a star, and met by which of its ports it sends there and hears it: 1 and their numbers, 0 for none.
type meeting struct {
	star int
	node *placed
}

type met struct{ out, in int }

type tapAt struct {
	meeting
	port int
}

func (p *portOf) text(number int) string {
	if p.name != "" {
		return p.name
	}
	return fmt.Sprint(number)
}

// fibre is the part of a medium that takes light to those who hear it.
const fibre = "fibre"
