package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// layersPage is the one place of the layers: its table of packages, from the top down.
const layersPage = "docs/contributing.md"

// tableRow is a row of the table, tableName a package in it.
var (
	tableRow  = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|")
	tableName = regexp.MustCompile("`([^`]+)`")
)

// readLayers reads the packages of the table, from the bottom up: a package imports earlier ones only.
func readLayers(top string) (layers []string, err error) {
	page, err := os.ReadFile(filepath.Join(top, layersPage))
	if err != nil {
		return nil, err
	}
	_, way, found := strings.Cut(string(page), "## Find your way\n")
	if !found {
		return nil, fmt.Errorf("%s: there is no table of packages", layersPage)
	}
	way, _, _ = strings.Cut(way, "\n## ")
	for _, row := range tableRow.FindAllStringSubmatch(way, -1) {
		for _, name := range tableName.FindAllStringSubmatch(row[1], -1) {
			layers = append(layers, name[1])
		}
	}
	slices.Reverse(layers)
	return layers, nil
}

// levelOf is the place of a package, or else of the nearest folder around it; -1 for none.
func levelOf(layers []string, name string) int {
	if name == "starloom" {
		return slices.Index(layers, ".")
	}
	for folder := strings.TrimPrefix(name, "starloom/"); folder != "."; folder = path.Dir(folder) {
		if level := slices.Index(layers, folder); level >= 0 {
			return level
		}
	}
	return -1
}

// upwardImports returns upward imports, and packages without a place. Packages below one of the table stand where it
// does. traces and hw know nothing of each other.
func upwardImports(layers []string, imports map[string][]string) (up []string) {
	for _, p := range slices.Sorted(maps.Keys(imports)) {
		if strings.HasPrefix(p, "starloom/out/") { // what users have written there, as docs/go-api.md says
			continue
		}
		level := levelOf(layers, p)
		if level < 0 {
			up = append(up, fmt.Sprintf("%s has no place in the layout: give it one in %s", p, layersPage))
			continue
		}
		for _, imported := range imports[p] {
			under := strings.HasPrefix
			sideBySide := under(p, "starloom/traces") && under(imported, "starloom/hw") || under(p, "starloom/hw") && under(imported, "starloom/traces")
			if below := levelOf(layers, imported); below < 0 || below > level || sideBySide {
				up = append(up, fmt.Sprintf("%s imports %s", p, imported))
			}
		}
	}
	return up
}
