package netlist

import (
	"fmt"

	"starloom/fabric"
)

type node struct {
	place string
	name  string
	kind  string   // kind, "" if unknown
	ports []string // names of the ports of a processor or router; nil if links name the ports
	open  []string // ports that need no link
	at    []Place  // positions in a picture, nil if unknown
	keys  Serving
	vague bool // some keys of the node are unknown

	listed  []portOf // ports after checking
	numbers map[string]int

	directed string // place of the declaration that the graph is directed, or ""
	rtlOf
}

// oneWay adds to a reason that the direction is missing because the graph is directed.
func (n *node) oneWay(reason, remedy string) (string, string) {
	if n.directed == "" {
		return reason, remedy
	}
	return fmt.Sprintf("%s: an edge leads in one direction because the graph at %s is directed", reason, n.directed),
		`write edgedefault="undirected" there, so that edges lead both ways, or ` + remedy
}

// rtlOf is the RTL that replaces a node.
type rtlOf struct {
	rtl      *NodeRTL
	rtlPlace string
}

type link struct {
	place   string
	ends    []string
	places  []string
	oneway  bool
	half    bool
	latency int  // latency in cycles; Usual by default
	wrong   bool // the latency is illegal
	vague   bool // some ends or keys of the link are unknown
	round   Place
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
	index   int // index in the range of its entry
	number  int // number of a processor or router, or of a star's medium
	ports   []portOf
	numbers map[string]int
	named   bool
	listed  bool // the key ports lists the port
	mixed   bool // links use both names and numbers
	twice   bool // another node has the same name
	loose   bool // a rejected link may be a link of any port
}

// portOf is a port during drawing. outPlace and inPlace are the places of its links, "" for none.
type portOf struct {
	name     string
	open     bool
	out, in  int
	asks     int  // 1 + number of the port's crossbar, 0 for none
	routed   bool // the port is at a router
	hidden   bool // a rejected link may be a link of the port
	outPlace string
	inPlace  string
}

func (p *placed) known() bool { return p.kind != "" && !p.twice }

func (p *placed) shared() bool {
	return p.kind == kindStar || p.kind == kindBus || p.kind == kindCrossbar
}

type tapOf struct {
	*placed
	port    int
	out, in bool
	latency int
}

// meeting is a node at a star. met holds 1 + the sending port and 1 + the hearing port of the node; 0 means no port.
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

const fibre = "fibre"
