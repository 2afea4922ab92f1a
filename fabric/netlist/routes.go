package netlist

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Routes are the routes for firmware: the shortest routes, routes from a drawing, or no routes.
type Routes struct {
	none    bool   // no routes exist except the entries
	word    string // rule for the remaining routes of routers; "" is the network's default
	place   string
	entries []routeEntry

	relation *placedRelation // rules in place of the word and the entries; nil for none
}

const (
	routesShortest = "shortest"
	routesNone     = "none"
	routesDOR      = "dor"       // routes of a mesh of routers
	routesDimOrder = "dim_order" // routes of a torus of routers
	routesDateline = "dateline"  // routes of a ring or torus of routers
	routesMinimal  = "minimal"   // routes of a dragonfly of routers
	routesAnynet   = "anynet"    // routes that BookSim finds in a graph
	routesDestTag  = "dest_tag"  // routes of a fly
	routesNCA      = "nca"       // routes of a fat tree
)

var routerRoutes = []string{routesDOR, routesDimOrder, routesDateline, routesMinimal, routesAnynet,
	routesDestTag, routesNCA}

type routeEntry struct {
	place    string
	file     string // path of a table, "" for other entries
	leaves   string // place of the source, "" if equal to place
	from, to string
	port     string // port; at a router optionally with VCs: east:0..1
}

// Route directs traffic from one processor to another out of a port.
type Route struct{ From, To, Port int }

func (r Routes) MarshalJSON() ([]byte, error) {
	if r.relation != nil {
		return json.Marshal(r.relation.Relation)
	}
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

// Setting returns the routes for lists of settings.
func (r *Routes) Setting() any {
	if r == nil {
		return nil
	}
	return *r
}

// JSONSchemaAlias describes Routes as a relation; internal/config adds the other forms.
func (Routes) JSONSchemaAlias() any { return Relation{} }

func form(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(fmt.Sprintf("netlist: %v", err)) // plain data always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
