package template

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/outcome"
)

const small = `{"$ref": "#/$defs/Scenario", "$defs": {
	"Scenario": {"properties": {"starloom": {"type": "integer"}, "seed": {"description": "of all that is drawn"}, "fabric": {"$ref": "#/$defs/Fabric", "description": "the network"},
		"stop": {"$ref": "#/$defs/Stop", "description": "when"}, "workload": {"properties": {"gossip": {"$ref": "#/$defs/Gossip"}, "file": {}}}}},
	"Fabric": {"properties": {"ring": {"$ref": "#/$defs/ring", "description": "in a circle"}}},
	"ring": {"properties": {"nodes": {"minimum": 3, "description": "how many"}, "both": {"type": "boolean", "description": "a link in each direction, which is what rings have had since they were built of copper: clockwise and the other way round"}}, "required": ["nodes"]},
	"Gossip": {"properties": {"sessions": {"type": "integer", "description": "in a row"}, "order": {"oneOf": [{"enum": ["up", "down"]}, {"type": "array"}]}}},
	"Stop": {"properties": {"slots": {"description": "after so many"}}}}}`

// TestWrite checks that given keys are lines and others comments, that an empty part shows its first key, and that
// long words are below.
func TestWrite(t *testing.T) {
	set := func(key string, value any, by string) outcome.Setting {
		return outcome.Setting{Key: key, Value: value, By: by}
	}
	x := Template{
		Head: []string{"First.", "Second."}, Keys: []string{"fabric.ring.nodes", "workload.gossip"}, Tail: []string{"Last."},
		Settings: []outcome.Setting{
			set("starloom", 1, outcome.ByDefault), set("seed", 1, outcome.ByDefault),
			set("fabric.ring.nodes", 8, outcome.ByOption), set("fabric.ring.both", false, outcome.ByDefault),
			set("workload.file", nil, outcome.ByDefault), set("workload.gossip.sessions", 2, outcome.ByDefault),
			set("rules.energy", false, outcome.ByDefault), set("stop.slots", 50, outcome.ByProgram),
		},
		Notes: map[string]string{"stop.slots": "enough"},
	}
	text, err := x.Write([]byte(small))
	require.NoError(t, err)
	require.Equal(t, `# First.
#
# Second.

starloom: 1
# seed: 1                  # of all that is drawn

fabric:                    # the network
  ring:                    # in a circle
    nodes: 8               # how many
    # both: false
    #   a link in each direction, which is what rings have had since they were built of copper: clockwise and the other
    #   way round

workload:
  gossip:
    sessions: 2            # in a row

# stop:                    # when
#   slots: 50              # enough

# Last.

`, string(text))
}

// TestComplete checks that keys continue with a dot or =, and that values are words of the schema.
func TestComplete(t *testing.T) {
	for word, want := range map[string][]string{
		"":                       {"fabric.\tthe network", "seed=\tof all that is drawn", "starloom=\t", "stop.\twhen", "workload.\t"},
		"fab":                    {"fabric.\tthe network", "seed=\tof all that is drawn", "starloom=\t", "stop.\twhen", "workload.\t"},
		"stop.":                  {"stop.slots=\tafter so many"},
		"workload.gossip.order=": {"workload.gossip.order=up", "workload.gossip.order=down"},
		"fabric.ring.both=":      {"fabric.ring.both=true", "fabric.ring.both=false"},
		"none.":                  nil,
		"none=":                  nil,
		"seed=1":                 nil,
	} {
		words, err := Complete([]byte(small), word)
		require.NoError(t, err)
		require.Equal(t, want, words, "%q", word)
	}
	keys, least, err := Required([]byte(small), "ring")
	require.NoError(t, err)
	require.Equal(t, []string{"nodes"}, keys)
	require.Equal(t, map[string]string{"nodes": "3"}, least)
	_, err = Complete([]byte("no JSON"), "")
	require.Error(t, err)
}
