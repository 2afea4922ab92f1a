package starloom

import (
	"fmt"
	"slices"
	"starloom/fabric"
	"starloom/hw"
	"strings"
)

type globMatch struct {
	pattern *hw.Pattern // nil for a plain path
	many    hw.Set      // targets of the pattern
	one     []int       // targets of the path
}

// globMatches holds the targets of all globs, by kind of target and by glob.
type globMatches map[string]map[string]*globMatch

// limits of the comparisons between patterns and paths: of prefixes, and of whole paths after an equal prefix;
// matching within these limits takes less than a second
const globBeginningsMax, globMatchesMax = 1 << 24, 1 << 22

// match builds each path once and compares it with all globs for its kind of target, because building a path costs
// more than a comparison. Plain paths are looked up.
func match(n fabric.Network, faults []Fault) (globMatches, error) {
	all, kinds, patterns := globMatches{}, map[string]fabric.FaultKind{}, map[string][]*globMatch{}
	for i := range faults {
		kind := kindOfFault(&faults[i])
		what, count, _ := fabric.FaultTargets(n, kind)
		if kinds[what] = kind; all[what] == nil {
			all[what] = map[string]*globMatch{}
		}
		for _, glob := range faults[i].Targets {
			if all[what][glob] != nil {
				continue
			}
			match := &globMatch{}
			if all[what][glob] = match; !strings.Contains(glob, "*") && !strings.Contains(glob, "..") {
				continue
			}
			if globs := len(patterns[what]); globs > 0 && (globs+1)*count > globBeginningsMax {
				return nil, tooManyGlobs(globs, count)
			}
			pattern, err := hw.CompilePattern(glob)
			if err != nil {
				return nil, err // checkFault has compiled it
			}
			match.pattern, match.many = pattern, hw.NewSet(count)
			patterns[what] = append(patterns[what], match)
		}
	}
	for what, kind := range kinds {
		if len(all[what]) > 0 {
			if whole := matchPaths(n, kind, all[what], patterns[what]); !whole {
				_, count, _ := fabric.FaultTargets(n, kind)
				return nil, tooManyGlobs(globMatchesMax/count, count)
			}
		}
	}
	return all, nil
}

func tooManyGlobs(globs, count int) error {
	return fmt.Errorf("more than %d globs are compared with %d paths", globs, count)
}

// matchPaths finds the targets of one kind. whole is false if the limit of comparisons was reached.
func matchPaths(n fabric.Network, kind fabric.FaultKind, all map[string]*globMatch,
	patterns []*globMatch) (whole bool) {
	compared := 0
	_, count, path := fabric.FaultTargets(n, kind)
	media := fabric.FaultMedia(n, kind)
	for i := range count {
		names := []string{path(i)}
		if i < media {
			names = append(names, n.Names().Link(i))
		}
		if names[0] == "" {
			continue
		}
		for _, name := range names {
			if match := all[name]; match != nil {
				match.one = append(match.one, i)
			}
		}
		for _, match := range patterns {
			for _, name := range names {
				if !match.pattern.MayMatch(name) {
					continue
				}
				if compared++; compared > globMatchesMax && len(patterns) > 1 {
					return false
				}
				if match.pattern.Match(name) {
					match.many.Add(i)
				}
			}
		}
	}
	return true
}

func kindOfFault(f *Fault) fabric.FaultKind {
	return fabric.FaultKind(slices.Index(fabric.FaultNames[:], f.Kind))
}
