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
		if r.atRouters && node.Value != routesNone { // whose packets need ways
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
	if value.Kind == yaml.ScalarNode {
		word(value, where)
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

// readTable reads a file of routes: CSV, or the object of routes as YAML.
func (r *reader) readTable(path, place string) {
	data, err := input.Read(path, fileBytesMax)
	if err != nil {
		r.add(place, fmt.Sprintf("%s cannot be read: %v", path, input.WithoutPath(err)), "give a table of routes, relative to the file that names it")
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
		if table.readWays(e, e.key); table.count() > 0 { // it may be another file: no more than one of its lines is told
			break
		}
	}
	r.take(table.err())
	for _, e := range table.routes.entries {
		e.file = path
		r.routes.entries = append(r.routes.entries, e)
	}
}

// tableColumns are those of a table of routes; the last one may be left out, or empty.
var tableColumns = []string{"router", "destination", "port", "vcs"}

// readRows reads a table of routes. Its head says that it is one, so that all of its mistakes are told.
func (r *reader) readRows(path string, data []byte) {
	var at [4]int
	r.take(input.Table(path, data, "write the head router,destination,port,vcs and a row for each route", func(head []string) error {
		for i, name := range tableColumns {
			if at[i] = slices.Index(head, name); at[i] < 0 && i < 3 {
				return &input.Error{Place: path + ":1:1", Reason: "there is no column " + name,
					Remedy: "give a head with router,destination,port, and vcs if routes have some of them"}
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
