package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"
)

// fileKeys matches the keys of a scenario whose values are paths of files.
var fileKeys = regexp.MustCompile(`^(firmware\.image|workload\.(file|gossip\.(orders|values)|traffic\.file)|` +
	`fabric\.netlist\.(file|anynet|graphml)|rtl\[\d+\]\.map)$`)

// besideSweep makes paths on axes relative to the sweep's file: a scenario takes them as relative to its own. A path
// that leads to a file from the scenario's folder alone keeps its meaning for one version, with a note.
func (p *Plan) besideSweep(place string) error {
	own, of := filepath.Dir(place), filepath.Dir(p.Scenario.Place)
	if own == of {
		return nil
	}
	for _, a := range p.Axes {
		for i := range a.Values {
			for k := range a.Values[i].Settings {
				s := &a.Values[i].Settings[k]
				key := s.Key
				if key == "" { // an axis of one key
					key = a.Keys[0]
				}
				var path string
				if !fileKeys.MatchString(key) || yaml.Unmarshal([]byte(s.Value), &path) != nil || filepath.IsAbs(path) ||
					!strings.ContainsAny(path, "./") {
					continue
				}
				if !exists(filepath.Join(own, path)) && exists(filepath.Join(of, path)) {
					p.Notes = append(p.Notes, fmt.Sprintf("%s: %s is beside the scenario; the next version looks for it beside "+
						"the sweep", s.Place, path))
					continue
				}
				moved, err := filepath.Rel(of, filepath.Join(own, path))
				if err != nil {
					if moved, err = filepath.Abs(filepath.Join(own, path)); err != nil {
						return err
					}
				}
				s.Value = strconv.Quote(filepath.ToSlash(moved))
			}
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
