package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/pops"
	"starloom/fabric/studies"
)

// square is a network in Go that is a POPS network with as many groups as processors per group, so that its results
// are known.
type square struct {
	Side int    `json:"side" jsonschema:"required,minimum=1,maximum=99,description=groups\\, and processors of a group"`
	More extras `json:"more"`

	unseen int
}

type extras struct {
	Colour string  `json:"colour,omitempty" jsonschema:"enum=red,enum=blue"`
	Weight float64 `json:"weight" jsonschema:"minimum=0,maximum=2"`
	Lamps  []lamp  `json:"lamps,omitempty" jsonschema:"minItems=1"`
}

type lamp struct {
	On bool `json:"on"`
}

func (s square) pops() pops.Network                { return pops.Network{Groups: s.Side, GroupSize: s.Side} }
func (s square) Kind() string                      { return "square" }
func (s square) Shape() fabric.Shape               { return s.pops().Shape() }
func (s square) Names() fabric.Names               { return s.pops().Names() }
func (s square) Programs() []fabric.Program        { return s.pops().Programs() }
func (s square) MemoryBytes(*fabric.Config) uint64 { return 0 }
func (s square) Abilities() fabric.Abilities {
	return fabric.Abilities{Description: fabric.Description{Studies: s.studies()}}
}
func (s square) Build(p fabric.Plant) error { return s.pops().Build(p) }
func (s square) Referee(w *fabric.Workload, p *fabric.Program) fabric.Referee {
	return s.pops().Referee(w, p)
}

// Check has a rule that struct tags cannot express.
func (s square) Check() error {
	if s.Side == 13 {
		return &starloom.InputError{Place: "fabric.square.side", Reason: "thirteen is unlucky", Remedy: "take another"}
	}
	if s.More.Weight == 1 {
		return errors.New("it is balanced")
	}
	return nil
}

func (s square) studies() []fabric.Study {
	return []fabric.Study{&studies.Study{Name: "squares", Doc: "areas of squares", Cases: []string{"side="}, Run: func(r studies.Runs) error {
		r.Plan(0)
		area := 4.0
		r.Add(studies.StudyRow{Case: "side=2", Quantity: "area", Reference: &area, Measured: 4, OK: true})
		return nil
	}}}
}

func squares(t *testing.T, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := execute(args, &stdout, &stderr, square{Side: 4, More: extras{Weight: 0.5}})
	return result{status, stdout.String(), stderr.String()}
}

const squareScenario = `starloom: 1
name: s
fabric: {square: {side: 4}}
firmware: {program: pops/random}
`

// TestNetworks checks that a network in Go has the whole command line and the results of the network that it
// represents.
func TestNetworks(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": squareScenario, "p.yaml": strings.Replace(squareScenario, "{square: {side: 4}}", "{pops: {groups: 4, group_size: 4}}", 1)})
	s, p := filepath.Join(dir, "s.yaml"), filepath.Join(dir, "p.yaml")
	for _, args := range [][]string{
		{"run"}, {"run", "--seed", "7", "--engine", "cycle"}, {"run", "--set", "rtl[0].replace=**.coupler[1]"}, {"run", "--seeds", "1..4"}, {"cosim", "check", "--set", "rtl[0].replace=**.coupler[1]"},
	} {
		k := len(args) - 2*strings.Count(strings.Join(args, " "), "--")
		with := func(path string) []string { return append(append(append([]string{}, args[:k]...), path), args[k:]...) }
		want, got := squares(t, with(p)...), squares(t, with(s)...)
		require.Equal(t, statusPass, got.status, "%v: %s", args, got.stderr)
		require.Equal(t, want.stdout, strings.ReplaceAll(got.stdout, s, p), "%v", args)
	}
	r := squares(t, "scenario", "show", s, "--set", "fabric.square.more.lamps[0].on=true")
	require.Equal(t, statusPass, r.status, r.stderr)
	for key, value := range map[string]string{
		"side": "4 +" + regexp.QuoteMeta(s) + ":3:25", "more.colour": "- +default", "more.weight": "0.5 +default", `more.lamps\[0\].on`: "true +--set",
	} {
		require.Regexp(t, `(?m)^fabric\.square\.`+key+` +`+value+`$`, r.stdout)
	}
	require.NotContains(t, r.stdout, "unseen")
	sides := filepath.Join(dir, "sweep.yaml")
	require.NoError(t, os.WriteFile(sides, []byte("scenario: s.yaml\naxes: {side: {key: fabric.square.side, values: [2, 5]}}\nseeds: 1..3\n"), 0o644))
	r = squares(t, "sweep", sides, "--out", filepath.Join(dir, "out"))
	require.Equal(t, statusPass, r.status, r.stderr)
	results, err := os.ReadFile(filepath.Join(dir, "out", "results.csv"))
	require.NoError(t, err)
	require.Regexp(t, "(?m)^side,runs,failed,slots.mean,.*\n2,3,0,.*\n5,3,0,", string(results))
	require.Contains(t, squares(t, "study", "list").stdout, "squares")
	r = squares(t, "study", "squares")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stdout, "side=2")
	require.Contains(t, squares(t, "study", "none").stderr, "routers, squares")
	require.Equal(t, statusInput, starloomIn(t, dir, "run", "s.yaml").status, "starloom itself knows no squares")
}

// TestNetworksCheck checks that a finding of a firmware check on a network in Go becomes a scenario of that network
// that reproduces it.
func TestNetworksCheck(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": squareScenario, "deaf.c": `#include "starloom.h"
typedef struct { uint32_t slots; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)s; sl_listen(nic, 0); }
static void on_slot(sl_nic *nic, state_t *s) { if (sl_receive(nic)) __builtin_trap(); s->slots++; if (s->slots == 3) sl_done(nic); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`})
	image, found := filepath.Join(dir, "deaf.wasm"), filepath.Join(dir, "found")
	r := squares(t, "firmware", "build", filepath.Join(dir, "deaf.c"), "-o", image)
	require.Equal(t, statusPass, r.status, r.stderr)
	r = squares(t, "firmware", "check", image, filepath.Join(dir, "s.yaml"), "--fuzz", "200", "--reproduce", found)
	require.Equal(t, statusFail, r.status, r.stderr)
	scenarios, err := filepath.Glob(filepath.Join(found, "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, scenarios)
	text, err := os.ReadFile(scenarios[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "square: {")
	r = squares(t, "firmware", "check", filepath.Join(found, "deaf.wasm"), scenarios[0], "--replay", strings.TrimSuffix(scenarios[0], ".yaml")+".json")
	require.Equal(t, statusFail, r.status, r.stderr)
}

// TestNetworksRefuse checks that keys of a network in Go are read as strictly as others.
func TestNetworksRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"{square: {sides: 4}}":                          `s.yaml:3:19: unknown key "sides" in fabric.square; did you mean "side"? allowed: side, more`,
		"{square: {}}":                                  `s.yaml:3:18: missing key "side" in fabric.square; add "side" (groups, and processors of a group)`,
		"{square: 4}":                                   "s.yaml:3:18: fabric.square is 4; write an object: {side: ...}",
		"{square: {side: 100}}":                         "s.yaml:3:25: fabric.square.side is 100; allowed: 1 to 99 (groups, and processors of a group)",
		"{square: {side: 13}}":                          "s.yaml:3:25: thirteen is unlucky; take another",
		"{square: {side: 4, more: {weight: 1}}}":        "s.yaml:3:18: it is balanced; change the keys under fabric.square",
		"{square: {side: 4, more: {weight: 2.5}}}":      "s.yaml:3:43: fabric.square.more.weight is 2.5; allowed: 0 to 2",
		"{square: {side: 4, more: {colour: rod}}}":      `s.yaml:3:43: fabric.square.more.colour is "rod"; did you mean "red"? allowed: red, blue`,
		"{square: {side: 4, more: {lamps: []}}}":        "s.yaml:3:42: fabric.square.more.lamps is an empty list; delete the key",
		"{square: {side: 4, more: {lamps: [{on: 1}]}}}": "s.yaml:3:48: fabric.square.more.lamps[0].on is 1; write true or false",
		"{square: {side: 4}, pops: {}}":                 "s.yaml:3:29: two fabrics: square and pops; a scenario has exactly one; delete the other",
		"{squares: {side: 4}}":                          `s.yaml:3:10: unknown key "squares" in fabric; did you mean "square"? allowed: pops, crossbar, bus, ej, netlist, square`,
		"{}":                                            "or fabric: {square: {side: ...}}",
	} {
		dir := folder(t, map[string]string{"s.yaml": strings.Replace(squareScenario, "{square: {side: 4}}", text, 1)})
		r := squares(t, "run", filepath.Join(dir, "s.yaml"))
		require.Equal(t, statusInput, r.status, text)
		require.Contains(t, strings.ReplaceAll(r.stderr, dir+"/", ""), want, text)
	}
}

// TestNetworksSchema checks that the schema has the network with its ranges, words and defaults.
func TestNetworksSchema(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Required   []string
			Properties map[string]map[string]any
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal([]byte(squares(t, "schema").stdout), &schema))
	require.Equal(t, "#/$defs/square", schema.Defs["Fabric"].Properties["square"]["$ref"])
	require.Equal(t, []string{"side"}, schema.Defs["square"].Required)
	require.Equal(t, map[string]any{
		"type": "integer", "minimum": 1.0, "maximum": 99.0, "default": 4.0, "description": "groups, and processors of a group",
	}, schema.Defs["square"].Properties["side"])
	require.Equal(t, []any{"red", "blue"}, schema.Defs["square.extras"].Properties["colour"]["enum"])
	require.Contains(t, schema.Defs["square.lamp"].Properties, "on")
	plain, err := starloom.Schema()
	require.NoError(t, err)
	require.NotContains(t, string(plain), "square")
}

// Networks that no file can name.
type (
	named struct {
		square
		kind string
	}
	small8 struct {
		square
		Side int8 `json:"side8"`
	}
	torn struct {
		square
		Side int `json:"side_too" jsonschema:"minimum=few"`
	}
)

func (n named) Kind() string { return n.kind }

// TestNetworksNobodyCanName checks that a network that files cannot name ends every command line with a remedy.
func TestNetworksNobodyCanName(t *testing.T) {
	for want, networks := range map[string][]fabric.Network{
		`network cli.named: its kind is "Square 2"; a kind is a key under fabric: small letters, digits and _`: {named{kind: "Square 2"}},
		"network cli.named: another network already has the kind pops; return another word from Kind":          {named{kind: "pops"}},
		"network *cli.square: another network already has the kind square":                                     {square{}, &square{}},
		"network <nil>: it is nil; give a value":                                                               {nil},
		"network *cli.square: it is nil; give a value":                                                         {(*square)(nil)},
		"network cli.small8: the field Side of cli.small8 has the type int8; a key is an exported field":       {small8{}},
		`network cli.torn: strict: tag "minimum=few": `:                                                        {torn{}},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, statusInput, execute([]string{"version"}, &stdout, &stderr, networks...), want)
		require.Empty(t, stdout.String(), want)
		require.Contains(t, stderr.String(), want)
		_, err := starloom.Networks(networks).Schema()
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, starloom.Networks{&square{}, named{kind: "square_2"}}.Check())
}
