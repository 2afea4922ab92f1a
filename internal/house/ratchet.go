package main

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// ratchet has the number of findings of each rule that are left: `rule count`.
//
//go:embed ratchet.txt
var ratchet string

// exceptions has what may stay: `rule path what: why`.
//
//go:embed exceptions.txt
var exceptionLines string

// exception is a place that may break a rule, with the reason.
type exception struct{ rule, path, what, why string }

func (e exception) matches(f finding) bool {
	return e.rule == f.rule && e.path == f.path && e.what == f.what
}

func readAllowed() (allowed map[string]int, exceptions []exception, err error) {
	allowed = map[string]int{}
	for line := range strings.Lines(ratchet) {
		rule, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if allowed[rule], err = strconv.Atoi(strings.TrimSpace(number)); err != nil {
			return nil, nil, fmt.Errorf("ratchet.txt: %q: %w", line, err)
		}
	}
	for line := range strings.Lines(exceptionLines) {
		place, why, ok := strings.Cut(strings.TrimSpace(line), ": ")
		fields := strings.SplitN(place, " ", 3)
		if !ok || len(fields) != 3 {
			return nil, nil, fmt.Errorf("exceptions.txt: %q: want `rule path what: why`", line)
		}
		exceptions = append(exceptions, exception{fields[0], fields[1], fields[2], why})
	}
	return allowed, exceptions, nil
}

func count(findings []finding, exceptions []exception) (counts, excused map[string]int) {
	counts, excused = map[string]int{}, map[string]int{}
next:
	for _, f := range findings {
		for _, e := range exceptions {
			if e.matches(f) {
				excused[f.rule]++
				continue next
			}
		}
		counts[f.rule]++
	}
	return counts, excused
}

func (t *tree) absolute() string {
	path, err := filepath.Abs(t.top)
	if err != nil {
		return t.top
	}
	return path
}

// cycleFindings are cycles of more than cycleFilesMax files.
func cycleFindings(pkgs []*checked) (found []finding) {
	for _, p := range pkgs {
		for _, set := range p.fileGraph().cycles() {
			if len(set) > cycleFilesMax {
				found = append(found, finding{"cycle", p.path, 1, strings.Join(set, " "), len(set)})
			}
		}
	}
	return found
}
