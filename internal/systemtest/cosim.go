package systemtest

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starloom"
	"starloom/cosim"
	"starloom/internal/inside"
	"starloom/internal/maps"
)

// TutorialMap is the text of examples/rtl/stream_arbiter.yml without comments.
const TutorialMap = `model: arbiter_round_robin
parameters: {REQUESTERS: 4}
top: stream_arbiter
sources: [stream_arbiter.sv]
params: {Streams: 4}
clock: clk_i
reset: {pin: rst_ni, active: low}
pins:
  request: valid_i
  grant: ready_o
ties: {halt_i: 0}
absent: [index]
latency: {grant: -1}
`

// PinMapSeeds are valid and invalid pin maps.
func PinMapSeeds() []string {
	return []string{
		TutorialMap, "", "model: lfsr\npins: &a {x: *a}", "model: lfsr\npins: {x: [a, [b]]}", "- 1", "{model: lfsr, reset: {pin: }}",
		"model: fifo\nties: {a: -1}", "model: fifo\nsources: 1", "model: fifo\nparams: {A: 08, B: 1.5}", "model: fifo\nlatency: {a: 99999999999999999999}",
		"? [a]\n: b", "model: *x", "fabric: {pops: {groups: 2}}", "backend: 1", "clock: !!int x",
	}
}

// TryPinMap parses a text as a pin map and looks up its pins. Every rejection must have a place.
func TryPinMap(path string, text []byte) error {
	m, err := maps.ParsePin(path, text, inside.Library())
	if err != nil {
		return Refused(path, err)
	}
	m.Image, m.Source.Files = "", []string{filepath.Join(filepath.Dir(path), "none.v")} // nothing of the machine is opened
	if _, err = m.Open(context.Background(), cosim.Options{}); err == nil {
		return Unexpected(errors.New("a map without RTL can be opened"))
	}
	return nil
}

// WithRTL returns a copy of a scenario with RTL for the given parts.
func WithRTL(s *starloom.Scenario, parts ...starloom.RTL) *starloom.Scenario {
	replaced := *s
	replaced.RTL = parts
	return &replaced
}

// ModelText returns a report as JSON without the keys that only a run with RTL has.
func ModelText(t testing.TB, r *starloom.Report) string {
	model := *r
	model.RTL = nil
	model.Notes = slices.DeleteFunc(slices.Clone(r.Notes), func(note string) bool { return strings.Contains(note, "RTL") })
	return ReportText(t, &model)
}
