package starloom

import (
	"fmt"
	"regexp"
	"starloom/internal/outcome"
)

// permutations returns how many runs each seed of a scenario has with `permutation:
// all`, 0 without. Permutations are numbered from 0 in lexicographic order.
func (s *Scenario) permutations() uint64 {
	if s.Workload.Permutation.Kind != PermutationAll {
		return 0
	}
	total := uint64(1)
	for i := range s.Processors() {
		total *= uint64(i + 1)
	}
	return total
}

// checkCommand is the command line that repeats a run of the scenario's file beside its
// models; "" for a scenario that is not from a file.
func (s *Scenario) checkCommand() string {
	place, ok := s.places[""]
	if !ok {
		return ""
	}
	command := "starloom cosim check " + outcome.ShellQuote(placeFile.ReplaceAllString(place, ""))
	if s.places["seed"] == "--seed" {
		command += fmt.Sprintf(" --seed %d", s.Seed)
	}
	return command
}

// placeFile is what a place has after the file.
var placeFile = regexp.MustCompile(`:\d+:\d+$`)

// rates are those of faults.random that a scenario's runs of many seeds have one after another;
// nil for one scenario.
func (s *Scenario) rates() []float64 {
	if s.Faults == nil || s.Faults.Random == nil {
		return nil
	}
	return s.Faults.Random.Rates
}

// withRate is the scenario with one rate.
func (s *Scenario) withRate(rate float64) *Scenario {
	one, faults, random := *s, *s.Faults, *s.Faults.Random
	random.Rate, random.Rates = &rate, nil
	faults.Random, one.Faults = &random, &faults
	return &one
}
