package starloom

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/internal/config"
	"starloom/internal/runs"
	"starloom/internal/strict"
)

// refusal gives what a network refuses its place in the scenario; a place in another file
// stays.
func (s *Scenario) refusal(err error) error {
	var refusal *InputError
	if errors.As(err, &refusal) && isKey(refusal.Place) {
		return s.refuse(refusal.Place, refusal.Reason, refusal.Remedy)
	}
	return err
}

// isKey reports whether a place is a key of scenarios, e.g. workload.gossip.faulty[1].
func isKey(place string) bool {
	head, _, _ := strings.Cut(place, ".")
	return !strings.ContainsAny(place, "/:") && slices.ContainsFunc(strict.Fields(reflect.TypeFor[Scenario]()), func(f strict.Field) bool { return f.Key == head })
}

// checkWorkload checks that there is one workload, and that the program can carry
// it.
func (s *Scenario) checkWorkload() error {
	w, n := s.Workload, s.Processors()
	var given []string
	for _, kind := range []struct {
		name  string
		given bool
	}{{"one_to_all", w.OneToAll != nil}, {"all_to_all", w.AllToAll != nil}, {"gossip", w.Gossip != nil}, {"scatter", w.Scatter != nil}, {"adversary", w.Adversary != nil}} {
		if kind.given {
			given = append(given, kind.name)
		}
	}
	if len(given) > 1 {
		return s.refuse("workload", "workload has both "+strings.Join(given[:2], " and "), "delete one")
	}
	if _, permuted := s.places["workload.permutation"]; permuted && len(given) > 0 {
		return s.refuse("workload", "workload has a permutation and something else", "keep one of permutation, file, one_to_all, all_to_all, gossip, scatter and adversary")
	}
	if w.OneToAll != nil && w.OneToAll.Source >= n {
		return s.refuse("workload.one_to_all.source", fmt.Sprintf("workload.one_to_all.source is %d", w.OneToAll.Source), fmt.Sprintf("allowed are 0 to %d", n-1))
	}
	if w.Scatter != nil && n < 2 {
		return s.refuse("fabric."+s.network().Kind(), "scatter needs at least 2 processors", "choose a network of 2 processors or more")
	}
	if w.Scatter != nil && w.Scatter.Origin >= n {
		return s.refuse("workload.scatter.origin", fmt.Sprintf("workload.scatter.origin is %d", w.Scatter.Origin), fmt.Sprintf("allowed are 0 to %d", n-1))
	}
	if w.Adversary != nil && w.Adversary.Slots%2 != 0 {
		return s.refuse("workload.adversary.slots", fmt.Sprintf("workload.adversary.slots is %d", w.Adversary.Slots), "give an even number: two slots take a packet over its two hops")
	}
	if w.Permutation.Kind == PermutationAll && n > runs.AllProcessorsMax {
		return s.refuse("workload.permutation", fmt.Sprintf("all permutations of %d processors are too many", n),
			fmt.Sprintf("take a network of at most %d processors", runs.AllProcessorsMax))
	}
	kind := w.Kind()
	p := s.program()
	if carried := s.carried(); p == nil && !slices.Contains(carried, kind) {
		return s.refuse("workload."+kind, fmt.Sprintf("networks of the kind %s do not carry %s", s.network().Kind(), kind), "write "+workloadExamples(carried))
	}
	if p != nil && p.Workloads == nil {
		if _, stated := s.places["workload"]; stated || !w.Usual() {
			return s.refuse("workload", fmt.Sprintf("the program %s takes no workload", p.Name), "delete workload")
		}
	} else if p != nil && !slices.Contains(p.Workloads, kind) {
		path := "workload"
		if _, given := s.places[path]; !given {
			path = "firmware.program"
		}
		return s.refuse(path, fmt.Sprintf("the program %s does not carry %s", s.Firmware.Program, kind), "write "+workloadExamples(p.Workloads))
	}
	if s.Firmware.Schedule != "" && s.Firmware.Program != "" {
		return s.refuse("firmware.schedule", "a built-in program brings its own schedule", "delete schedule, or give an image")
	}
	return nil
}

// carried returns the kinds of workloads that the network knows: what the host writes into every
// NIC, and what programs of the network carry.
func (s *Scenario) carried() []string {
	kinds := []string{fabric.WorkloadPermutation, fabric.WorkloadOneToAll}
	for _, p := range s.network().Programs() {
		for _, kind := range p.Workloads {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// workloadExamples is what a remedy writes.
func workloadExamples(kinds []string) string {
	var write []string
	for _, kind := range kinds {
		write = append(write, fmt.Sprintf("workload: {%s: %s}", kind, config.WorkloadExample[kind]))
	}
	return strings.Join(write, " or ")
}

// schedule returns which schedule the firmware takes, "" for none.
func (s *Scenario) schedule() string {
	if p := s.program(); p != nil {
		return p.Schedule
	}
	return s.Firmware.Schedule
}
