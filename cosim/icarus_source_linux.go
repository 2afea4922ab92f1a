package cosim

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type icarusSource struct {
	Top         string
	Files       []string
	IncludeDirs []string
	Defines     map[string]string
	Params      map[string]string
	Clocks      []string
}

func (s *icarusSource) name() string { return filepath.Base(s.Files[0]) + ": " + s.Top }

type icarusOptions struct {
	Seed      uint64
	TimeLimit time.Duration
}

func (o *icarusOptions) timeLimit() time.Duration {
	if o.TimeLimit > 0 {
		return o.TimeLimit
	}
	return 10 * time.Second
}

func placeIcarusPorts(ports []Port, clocks []string) error {
	in, out := 0, 0
	var inputs []string
	for i := range ports {
		p := &ports[i]
		p.Clock = slices.Contains(clocks, p.Name)
		switch {
		case p.Clock && (!p.Input || p.Bits != 1):
			return fmt.Errorf("clock %s is not an input of 1 bit", p.Name)
		case p.Clock:
			p.Word = -1
		case p.Input:
			p.Word, in = in, in+p.Words()
		default:
			p.Word, out = out, out+p.Words()
		}
		if p.Input && p.Bits == 1 {
			inputs = append(inputs, p.Name)
		}
	}
	for _, clock := range clocks {
		if !slices.ContainsFunc(ports, func(p Port) bool { return p.Name == clock }) {
			return fmt.Errorf("there is no port %s; inputs of one bit are %s", clock, strings.Join(inputs, ", "))
		}
	}
	return nil
}

func icarusWords(ports []Port) (in, out int) {
	for _, p := range ports {
		switch {
		case p.Clock:
		case p.Input:
			in += p.Words()
		default:
			out += p.Words()
		}
	}
	return in, out
}
