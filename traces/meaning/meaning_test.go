package meaning

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRead: a file with missing or misspelt keys is refused.
func TestRead(t *testing.T) {
	const head = "- {group: g, title: T, where: w, kind: metric, entries: ["
	groups, err := Read(head + "{name: a, means: b, unit: c, range: d, counted: e}]}")
	require.NoError(t, err)
	require.Equal(t, []Group{{Key: "g", Title: "T", Where: "w", Kind: KindMetric, Entries: []Entry{{Name: "a", Means: "b", Unit: "c", Range: "d", Counted: "e"}}}}, groups)
	for text, want := range map[string]string{
		head + "{name: a, means: b}]}":                  "a lacks its unit, its range and its counting rule",
		head + "{name: a, means: b, unit: c}]}":         "the figure a lacks its unit, its range or its counting rule",
		head + "{name: a, meaning: b}]}":                "meaning",
		head + "{means: b}]}":                           "entry 1 () has no name or no meaning",
		"- {group: g, title: T, where: w, kind: other}": "one of the kinds metric, key",
		"- {group: g, title: T, kind: metric}":          "a group has a word, a title, a place",
	} {
		_, err := Read(text)
		require.ErrorContains(t, err, want, text)
	}
	require.Panics(t, func() { Must("no list") })
}

// TestMatches: patterns stand for whole names.
func TestMatches(t *testing.T) {
	for pattern, names := range map[string][2]string{
		"a*c": {"abbc", "abcd"}, "*": {"", "-"}, "steps*": {"steps, n = 3", "step"}, "p(*,*)": {"p(3,128)", "p(3)"},
		"fault[*].*": {"fault[0].dead", "fault.dead"}, "a?c": {"abc", "ac"}, "*cycles.max": {"start_cycles.max", "cycles.maximum"},
	} {
		require.True(t, Matches(pattern, names[0]), pattern)
		require.Equal(t, names[1] == "-", Matches(pattern, names[1]), pattern)
	}
}

// A figure of a run is found by its name, by a pattern, without its ending and without its place in a list.
func TestOf(t *testing.T) {
	figure := func(name, unit string) Entry {
		return Entry{Name: name, Means: "m", Unit: unit, Range: "r", Counted: "c"}
	}
	groups := []Group{{Kind: KindMetric, Entries: []Entry{figure("results.*", "words"), figure("latency", "slots"), figure("latency.histogram", "packets")}},
		{Kind: KindColumn, Entries: []Entry{figure("runs", "runs")}}}
	for name, unit := range map[string]string{"latency": "slots", "latency.p99": "slots", "latency.histogram": "packets", "results.x": "words", "latency[3]": "slots"} {
		e := Of(groups, name)
		require.NotNil(t, e, name)
		require.Equal(t, unit, e.Unit, name)
	}
	require.Nil(t, Of(groups, "runs"), "a column is no figure")
	require.Nil(t, Of(groups, "other"))
}
