package plan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/outcome"
	"starloom/traces/input"
)

func parse(t *testing.T, text string) (*Plan, error) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s.yaml"), []byte("starloom: 1\n"), 0o666))
	place := filepath.Join(dir, "sweep.yaml")
	p, err := Parse(place, []byte(text))
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	return p, err
}

func labels(t *testing.T, text string) (all []string) {
	t.Helper()
	p, err := parse(t, "scenario: s.yaml\n"+text)
	require.NoError(t, err)
	points, err := p.Points()
	require.NoError(t, err)
	for i := range points {
		all = append(all, strings.Join(points[i].Labels, " "))
	}
	return all
}

// TestRanges checks that ranges include their ends and have decimal steps.
func TestRanges(t *testing.T) {
	for text, want := range map[string]string{
		"[0.05, 0.6, 0.05]":            "0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.55 0.6",
		"[1, 4, 1]":                    "1 2 3 4",
		"[0.3, -0.3, -0.1]":            "0.3 0.2 0.1 0 -0.1 -0.2 -0.3",
		"[1e-3, 3e-3, 1e-3]":           "0.001 0.002 0.003",
		"[7, 7, 1]":                    "7",
		"{from: 2, to: 512, times: 2}": "2 4 8 16 32 64 128 256 512",
		"{from: 1, to: 2, step: 0.5}":  "1 1.5 2",
		"{from: 8, to: 1, times: 0.5}": "8 4 2 1",
	} {
		require.Equal(t, strings.Fields(want), labels(t, "axes: {x: {key: a.b, range: "+text+"}}\n"), text)
	}
}

// TestPoints checks that the last axis varies fastest, that zipped axes vary together at the place of the first, and
// that where removes points.
func TestPoints(t *testing.T) {
	const axes = "axes: {a: {key: k.a, values: [1, 2]}, b: {key: k.b, values: [x, y]}, c: {key: k.c, range: [0.1, 0.3, 0.1]}, d: {key: k.d, values: [p, q]}}\n"
	require.Len(t, labels(t, axes), 24)
	require.Equal(t, []string{"1 x 0.1 p", "1 x 0.2 p", "1 x 0.3 p", "2 x 0.1 q", "2 x 0.2 q", "2 x 0.3 q"},
		labels(t, axes+"zip: [[a, d]]\nwhere: b == \"x\"\n"))
	require.Equal(t, []string{"1 x 0.1 p", "1 x 0.2 p", "2 x 0.1 p"}, labels(t, axes+"where: a * c < 0.3 && b + d == 'xp'\n"))
}

// TestSettings checks that a value is one line of YAML with the type that it has in the file.
func TestSettings(t *testing.T) {
	p, err := parse(t, `
scenario: {starloom: 1, fabric: {crossbar: {ports: 2}}}
axes:
  n: {key: fabric.crossbar.ports, range: [2, 3, 1]}
  what:
    settings:
      gossip: {firmware.program: gossip/fsa, workload: {gossip: {orders: "a, b"}}}
      list:
        workload.permutation:
          - 1
          - 0
  on: {key: rules.no_loss, values: ["yes", true, 0x10]}
seeds: 3..7
`)
	require.NoError(t, err)
	require.Equal(t, `{"starloom": 1, "fabric": {"crossbar": {"ports": 2}}}`, string(p.Scenario.Data))
	require.Equal(t, outcome.Seeds{First: 3, Last: 7}, *p.Seeds)
	many, err := parse(t, "scenario: s.yaml\naxes: {a: {key: k, values: [1]}}\nseeds: 20")
	require.NoError(t, err)
	require.Equal(t, outcome.Seeds{First: 1, Last: 20}, *many.Seeds, "a number of seeds, as --seeds has it")
	require.Equal(t, []string{"firmware.program", "workload", "workload.permutation"}, p.Axes[1].Keys)
	points, err := p.Points()
	require.NoError(t, err)
	require.Len(t, points, 12)
	var set []string
	for _, s := range points[1].Settings {
		set = append(set, s.Key+"="+s.Value)
	}
	require.Equal(t, []string{"fabric.crossbar.ports=2", `firmware.program="gossip/fsa"`, `workload={"gossip": {"orders": "a, b"}}`, `rules.no_loss=true`}, set)
	require.Equal(t, "workload.permutation=[1, 0]", points[3].Settings[1].Key+"="+points[3].Settings[1].Value)
	require.Equal(t, "n=2 what=gossip on=0x10", points[2].String(p.Names()))
}

func TestRefusals(t *testing.T) {
	const a, b = "a: {key: k, values: [1, 2]}", "b: {key: l, values: [1, 2, 3]}"
	for text, want := range map[string]string{
		"":                                                         "sweep.yaml:1:1: the sweep is empty; write scenario",
		"axes: {" + a + "}":                                        `sweep.yaml:1:1: missing key "scenario" in the sweep; add scenario:`,
		"scenario: s.yaml":                                         "sweep.yaml:1:1: the sweep has no axes to vary; add axes:",
		"scenario: s.yaml\naxes: {}":                               "sweep.yaml:1:1: the sweep has no axes",
		"scenario: none.yaml\naxes: {" + a + "}":                   "sweep.yaml:1:11: the scenario none.yaml cannot be read: no such file or directory; give a path relative to",
		"scenario: s.yaml\nstarloom: 2":                            "sweep.yaml:2:11: starloom is 2; allowed is 1",
		"scenario: s.yaml\naxis: {}":                               `sweep.yaml:2:1: unknown key "axis" in the sweep; did you mean "axes"?`,
		"scenario: s.yaml\naxes: {a: {key: k}}":                    "sweep.yaml:2:11: axes.a has no values; add values: [...], range",
		"scenario: s.yaml\naxes: {a: {values: [1]}}":               "sweep.yaml:2:11: axes.a has no key; add key:",
		"scenario: s.yaml\naxes: {a: {kay: k}}":                    `sweep.yaml:2:12: unknown key "kay" in axes.a; did you mean "key"?`,
		"scenario: s.yaml\naxes: {a b: {key: k}}":                  `sweep.yaml:2:8: "a b" is not the name of an axis; write letters`,
		"scenario: s.yaml\naxes: {seed: {key: k}}":                 "sweep.yaml:2:8: the tables already have a column seed; give the axis another name",
		"scenario: s.yaml\naxes: {a: {key: k, values: []}}":        "sweep.yaml:2:11: axes.a has no values, so the sweep has no points; give at least one",
		"scenario: s.yaml\naxes: {a: {key: k, values: [1, 2, 1]}}": "sweep.yaml:2:35: the axis a has the value 1 twice; delete one",
		"scenario: s.yaml\naxes: {a: {key: k, values: [1], range: [1, 2, 1]}}": "axes.a has more than one kind of " +
			"values; give one of values, range and settings",
		"scenario: s.yaml\naxes: {a: {key: k, settings: {x: {l: 1}}}}":             "axes.a has both key and settings; delete key",
		"scenario: s.yaml\naxes: {a: {key: k, range: [0, 1, 0.3]}}":                "sweep.yaml:2:27: axes.a.range goes from 0.9 to 1.2 and misses the end, 1; ends are included: end with 0.9 or 1.2",
		"scenario: s.yaml\naxes: {a: {key: k, range: [0, 1, -1]}}":                 "axes.a.range does not lead from 0 to 1; give a step towards the end, other than 0",
		"scenario: s.yaml\naxes: {a: {key: k, range: [0, 1, 0]}}":                  "axes.a.range does not lead from 0 to 1",
		"scenario: s.yaml\naxes: {a: {key: k, range: [0, 1]}}":                     "axes.a.range is a list; write [from, to, step]",
		"scenario: s.yaml\naxes: {a: {key: k, range: [0, one, 1]}}":                `axes.a.range is the text "one"; write [from, to, step]`,
		"scenario: s.yaml\naxes: {a: {key: k, range: [0, 1, 1e-4000]}}":            "axes.a.range is 1e-4000; write [from, to, step]",
		"scenario: s.yaml\naxes: {a: {key: k, range: {from: 0, to: 4, times: 2}}}": "axes.a.range multiplies 0 by 2; start above 0",
		"scenario: s.yaml\naxes: {a: {key: k, range: {from: 1, to: 4, times: 1}}}": "axes.a.range multiplies 1 by 1",
		"scenario: s.yaml\naxes: {a: {key: k, range: [0, 10, 0.0001]}}":            "axes.a.range has more than 100000 values; take larger steps",
		"scenario: s.yaml\naxes: {" + a + ", b: {key: k, values: [1]}}":            "the axes a and b both set k; delete one",
		"scenario: s.yaml\naxes: {" + a + ", " + b + "}\nzip: [[a, " +
			"b]]": "sweep.yaml:3:7: the zipped axes a and b have 2 and 3 values; give them the same number of values",
		"scenario: s.yaml\naxes: {" + a + ", " + b + "}\nzip: [[a, bb]]":                                          `sweep.yaml:3:7: there is no axis "bb"; did you mean b? there are a, b`,
		"scenario: s.yaml\naxes: {" + a + ", " + b + "}\nzip: [[a]]":                                              "a single axis cannot vary together with others",
		"scenario: s.yaml\naxes: {" + a + ", " + b + "}\nzip: [[a, a]]":                                           "the axis a is named twice",
		"scenario: s.yaml\naxes: {" + a + "}\nwhere: a <":                                                         "sweep.yaml:3:8: where is not a condition: unexpected token EOF (1:3); compare axes (a)",
		"scenario: s.yaml\naxes: {" + a + "}\nwhere: z < 1":                                                       "where is not a condition: unknown name z (1:1); compare axes (a)",
		"scenario: s.yaml\naxes: {" + a + "}\nwhere: a + 1":                                                       "where is not a condition: expected bool, but got float64; compare",
		"scenario: s.yaml\naxes: {" + a + "}\nwhere: a > 2":                                                       "sweep.yaml:3:8: where leaves none of 2 points; change the condition, or the axes",
		"scenario: s.yaml\naxes: {a: {key: k, values: [1, x]}}\nwhere: a > 0":                                     "sweep.yaml:3:8: where is not a condition: invalid operation: > (mismatched types unknown and int)",
		"scenario: s.yaml\naxes: {" + a + "}\nseeds: 5..1":                                                        "sweep.yaml:3:8: the range 5..1 is empty; write 1..5",
		"scenario: s.yaml\naxes: {" + a + "}\nseeds: 0":                                                           "sweep.yaml:3:8: \"0\" is not a range of seeds; write the first and the last seed, for example 1..100, or their number; allowed: 0 to 18446744073709551615",
		"scenario: s.yaml\naxes: {" + a + "}\nseeds: [1, 2]":                                                      "sweep.yaml:3:8: seeds is a list; write a range: 1..20",
		"scenario: s.yaml\naxes: {" + a + ", c: {key: m, range: [1, 1000, 1]}, d: {key: n, range: [1, 1000, 1]}}": "the axes have more than 1000000 combinations; give axes fewer values",
	} {
		p, err := parse(t, text)
		if err == nil {
			_, err = p.Points()
			var refused *input.Error
			require.ErrorAs(t, err, &refused, text)
		}
		require.ErrorContains(t, err, want, text)
	}
}
