package hw

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestClassesRestored requires that logs with classes, requests and replies stay equal, with the cycles in which
// replies are created, if the network is saved and restored on the way.
func TestClassesRestored(t *testing.T) {
	for _, g := range stageGoldens(t) {
		if g.name != "class" && g.name != "rw" {
			continue
		}
		packets, logged := readGolden(t, "stages_"+g.name)
		again, _ := readGolden(t, "stages_"+g.name)
		k, _ := newTestNetwork(t, g.top, g.config, packets, 16, 1)
		other, second := newTestNetwork(t, g.top, g.config, again, 3, 1)
		k.Reset()
		for range 150 {
			k.DriveAndSettle()
			k.Latch()
		}
		var state bytes.Buffer
		require.NoError(t, Save(&state, k))
		require.NoError(t, Restore(&state, other))
		runNetwork(other, second)
		assert.Zero(t, differ(again, logged), g.name)
		assert.Equal(t, logged.Created, again.Created, g.name)
		assert.Equal(t, packets.Count(), int(second.Sent()))
	}
}

// TestClassesRefused: tables of classes, types and replies that contradict themselves are refused.
func TestClassesRefused(t *testing.T) {
	top := mesh(2, 1)
	for says, traffic := range map[string]PacketTraffic{
		"3 classes for 1 of 2":  {Classes: 3, Class: []uint8{0}},
		"packet 1 has class 2":  {Classes: 2, Class: []uint8{0, 2}},
		"packet 1 has type 1":   {Classes: 1, Class: []uint8{0, 0}, Type: []uint8{0, 1}, VCs: []VCRange{{0, 1}}},
		"channels 0 to 2 of 2":  {Classes: 1, Class: []uint8{0, 0}, Type: []uint8{0, 0}, VCs: []VCRange{{0, 2}}},
		"no reply to packet 0":  {Classes: 1, Class: []uint8{0, 0}, Request: []uint32{0, 1}},
		"no reply to packet 41": {Classes: 1, Class: []uint8{0, 0}, Request: []uint32{0, 42}},
	} {
		packets := &Packets{Traffic: &traffic}
		packets.Add(0, 1, 1, 0)
		packets.Add(0, 1, 1, 0)
		_, err := NewRouterNetwork("net", &Clock{}, RouterConfig{VCs: 2, Depth: 1}, &top.graph, top.routing, packets,
			Shards(2, 2))
		require.ErrorContains(t, err, says)
	}
}
