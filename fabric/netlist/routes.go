package netlist

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Routes are the ways that firmware reads: shortest ones, others that a drawing says, or none.
type Routes struct {
	none    bool   // none but those that entries say
	word    string // of routers: what is not said by entries, "" for what the network brings
	place   string // of the word
	entries []routeEntry
}

const (
	routesShortest = "shortest"
	routesNone     = "none"
	routesDOR      = "dor"       // of a mesh of routers
	routesDimOrder = "dim_order" // of a torus of routers
	routesDateline = "dateline"  // of a ring or a torus of routers
	routesMinimal  = "minimal"   // of a dragonfly of routers
	routesAnynet   = "anynet"    // as BookSim finds them in a graph
)

// routerRoutes are the words that networks of routers alone have.
var routerRoutes = []string{routesDOR, routesDimOrder, routesDateline, routesMinimal, routesAnynet}

// routeEntry sends what goes from some processors, or routers, to processors out of a port.
type routeEntry struct {
	place    string // of the destination
	file     string // of a table in a file of its own, "" for others
	leaves   string // where it says from where, "" for the same place
	from, to string // with ranges
	port     string // of a router with VCs, if they are not all: east:0..1
}

// Route is one of a Net: how a processor sends what goes to another one.
type Route struct{ From, To, Port int }

func (r Routes) MarshalJSON() ([]byte, error) {
	word := routesShortest
	if r.none {
		word = routesNone
	}
	word = cmp.Or(r.word, word)
	if r.entries == nil {
		return json.Marshal(word)
	}
	parts := []string{`"default":` + form(word)}
	for i := 0; i < len(r.entries); {
		from, ways := r.entries[i].from, []string(nil)
		for ; i < len(r.entries) && r.entries[i].from == from; i++ {
			ways = append(ways, form(r.entries[i].to)+":"+form(r.entries[i].port))
		}
		parts = append(parts, form(from)+":{"+strings.Join(ways, ",")+"}")
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// Setting is what a list of settings shows of them.
func (r *Routes) Setting() any {
	if r == nil {
		return nil
	}
	return *r
}

// JSONSchemaAlias says that a file has them as an object.
func (Routes) JSONSchemaAlias() any { return map[string]map[string]string{} }

func form(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("netlist: %v", err)) // only plain data is in it
	}
	return string(data)
}
