package emulator

import (
	"slices"
	"strings"

	"starloom/firmware/variables"
	"starloom/hw"
)

// probeRoot is the head of the paths of variables below a processor's path.
const probeRoot = "state."

// selection holds the selected numbers of the state for waveforms.
type selection []probed

type probed struct {
	*variables.Scalar
	all  bool          // of every processor, otherwise
	only []*hw.Pattern // selected processors: one pattern must match the path
}

func selectionOf(layout *variables.Layout) (s selection) {
	layout.Scalars(func(_ *variables.Row, number *variables.Scalar) { s = append(s, probed{Scalar: number}) })
	return s
}

func (p *probed) shows(root string) bool {
	return p.all || slices.ContainsFunc(p.only, func(at *hw.Pattern) bool { return matchesBelow(at, root, p.Path) })
}

// add selects the numbers that match a pattern. root returns the path prefix of a processor's variables.
func (s selection) add(pattern *hw.Pattern, processors int, root func(processor int) string) (matched bool) {
	for i := range s {
		if p := &s[i]; matchesBelow(pattern, probeRoot, p.Path) {
			p.all, matched = true, true
		}
	}
	for n := 0; n < processors && !matched; n++ {
		matched = s.matches(pattern, root(n))
		for i := 0; i < len(s) && matched; i++ {
			s[i].only = append(s[i].only, pattern)
		}
	}
	return matched
}

func (s selection) matches(pattern *hw.Pattern, root string) bool {
	return slices.ContainsFunc(s, func(p probed) bool { return matchesBelow(pattern, root, p.Path) })
}

// matchesBelow reports whether a pattern matches the path root+name, the root, or a path between them.
func matchesBelow(pattern *hw.Pattern, root, name string) bool {
	path := root + name
	for end := len(path); end >= len(root)-1; end = strings.LastIndexAny(path[:end], ".[") {
		if pattern.Match(path[:end]) {
			return true
		}
	}
	return false
}
