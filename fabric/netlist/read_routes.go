package netlist

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
	"starloom/traces/input/strict"
)

func (r *reader) readRoutes(value *yaml.Node, where string) {
	word := func(node *yaml.Node, where string) {
		words := append([]string{routesShortest, routesNone}, routerRoutes...)
		offered := words
		if r.atRouters && node.Value != routesNone {
			offered = slices.Delete(slices.Clone(words), 1, 2)
		}
		at, err := r.Word(node, where, offered...)
		if err != nil {
			r.take(err)
			r.lose("routes")
			return
		}
		r.routes.none, r.routes.place = offered[at] == routesNone, r.Place(node)
		if !r.routes.none {
			r.routes.word = offered[at]
		}
	}
	switch {
	case value.Kind == yaml.ScalarNode && slices.Contains([]string{".yml", ".yaml"}, filepath.Ext(value.Value)):
		r.readRules(value.Value, r.Place(value))
		return
	case value.Kind == yaml.ScalarNode:
		word(value, where)
		return
	case within(value, "rules") != nil:
		r.readRelation(value, where)
		return
	}
	entries, whole := r.object(value, where, "an object: {a: {b: east}}")
	if !whole {
		r.lose("routes")
	}
	for _, e := range entries {
		switch at := where + "." + e.key; e.key {
		case "default":
			word(e.value, at)
		case "file":
			var file string
			if err := r.Text(e.value, at, &file); err != nil {
				r.take(err)
				r.lose("routes")
				continue
			}
			before := r.count()
			if r.readTable(r.beside(file), r.Place(e.value)); r.count() > before {
				r.lose("routes")
			}
		default:
			r.readWays(e, at)
		}
	}
}

func (r *reader) readWays(e entry, where string) {
	entries, whole := r.object(e.value, where, "an object: {b: east}")
	if !whole {
		r.lose("routes")
	}
	for _, to := range entries {
		route := routeEntry{place: r.Place(to.at), leaves: r.Place(e.at), from: e.key, to: to.key, port: to.value.Value}
		if to.value.Kind != yaml.ScalarNode || route.port == "" {
			r.take(r.Wrong(to.value, where+"."+to.key, "the name or the number of a port"))
			r.lose("routes")
			continue
		}
		r.routes.entries = append(r.routes.entries, route)
	}
}

// readTable reads a table of routes: CSV, or YAML with the syntax of routes.
func (r *reader) readTable(path, place string) {
	data, err := input.Read(path, fileBytesMax)
	if err != nil {
		r.add(place, fmt.Sprintf("%s cannot be read: %v", path, input.WithoutPath(err)),
			"give the path of a table of routes, relative to the file with this key")
		return
	}
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		r.readRows(path, data)
		return
	}
	root, err := strict.Document(path, data, "table of routes", `write "r[0]": {"p[1]": east}`)
	if err != nil {
		r.take(err)
		return
	}
	table := &reader{Decoder: &strict.Decoder{File: path, Whole: "the table of routes", Places: map[string]string{}}}
	entries, _ := table.object(root, table.Whole, "an object: {a: {b: east}}")
	for _, e := range entries {
		if table.readWays(e, e.key); table.count() > 0 { // report no further mistakes of this file
			break
		}
	}
	r.take(table.err())
	for _, e := range table.routes.entries {
		e.file = path
		r.routes.entries = append(r.routes.entries, e)
	}
}

var tableColumns = []string{"router", "destination", "port", "vcs"}

// readRows reads a CSV table. Its header identifies a table, so all mistakes in the rows are reported.
func (r *reader) readRows(path string, data []byte) {
	var at [4]int
	r.take(input.Table(path, data, "write the header row router,destination,port,vcs, and a row for each route",
		func(head []string) error {
			for i, name := range tableColumns {
				if at[i] = slices.Index(head, name); at[i] < 0 && i < 3 {
					return input.Mistake(path+":1:1", "there is no column "+name,
						"give a header row with router,destination,port, and vcs if routes use only some VCs")
				}
			}
			return nil
		}, func(line int, row []string) error {
			e := routeEntry{place: fmt.Sprintf("%s:%d:1", path, line), from: row[at[0]], to: row[at[1]], port: row[at[2]]}
			if at[3] >= 0 && row[at[3]] != "" {
				e.port += ":" + row[at[3]]
			}
			r.routes.entries = append(r.routes.entries, e)
			return nil
		}))
}

// readRelation reads a relation within a netlist.
func (r *reader) readRelation(value *yaml.Node, where string) {
	relation := &placedRelation{path: where, places: map[string]string{}, whole: r.Place(value)}
	d := *r.Decoder
	d.Places = relation.places
	before := r.count()
	d.Note = func(_ string, err error) { r.take(err) }
	own := &reader{Decoder: &d}
	if own.decode(value, &relation.Relation, where); own.count() > 0 {
		r.take(own.err())
	}
	if r.count() > before {
		r.lose("routes")
		return
	}
	r.routes.relation, r.routes.place = relation, relation.whole
}

// readRules reads a file of rules.
func (r *reader) readRules(file, place string) {
	data, err := input.Read(r.beside(file), fileBytesMax)
	if err != nil {
		r.add(place, fmt.Sprintf("%s cannot be read: %v", r.beside(file), input.WithoutPath(err)),
			"give the path of a file of rules, relative to the file with this key")
		r.lose("routes")
		return
	}
	root, err := strict.Document(r.beside(file), data, "file of rules", "write rules: [{take: [{to: dor}]}]")
	if err != nil {
		r.take(err)
		r.lose("routes")
		return
	}
	own := &reader{Decoder: &strict.Decoder{File: r.beside(file), Whole: "the file of rules", Places: map[string]string{}}}
	own.readRelation(root, "")
	r.take(own.err())
	if own.routes.relation == nil {
		r.lose("routes")
		return
	}
	r.routes.relation, r.routes.place = own.routes.relation, place
}
