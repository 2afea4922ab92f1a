package hw

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestShardsCoverEveryUnitOnce(t *testing.T) {
	for _, units := range []int{1, 2, 7, 255, 256, 257, 100_003} {
		for _, size := range []int{1, 2, 3, 100, 1 << 20} {
			shards := Shards(units, size)
			require.NoError(t, CheckShards(shards, units), "%d units by %d", units, size)
			owner := ShardOfUnit(shards)
			require.Len(t, owner, units)
			for _, s := range shards {
				require.EqualValues(t, s.Index, owner[s.First])
				require.EqualValues(t, s.Index, owner[s.End-1])
			}
		}
	}
	assert.Panics(t, func() { Shards(0, 1) })
	assert.Panics(t, func() { Shards(1, 0) })
}

func TestCheckShardsRefuses(t *testing.T) {
	for name, shards := range map[string][]Shard{
		"none":     {},
		"gap":      {{0, 0, 1}, {1, 2, 4}},
		"overlap":  {{0, 0, 3}, {1, 2, 4}},
		"short":    {{0, 0, 3}},
		"too far":  {{0, 0, 5}},
		"empty":    {{0, 0, 4}, {1, 4, 4}},
		"index":    {{0, 0, 2}, {2, 2, 4}},
		"twice":    {{0, 0, 2}, {0, 2, 4}},
		"negative": {{0, -1, 4}},
	} {
		assert.Error(t, CheckShards(shards, 4), name)
	}
	assert.NoError(t, CheckShards([]Shard{{1, 2, 4}, {0, 0, 2}}, 4), "any order")
}

func TestBank(t *testing.T) {
	b := Bank{Unit: "pops.group", Name: "coupler", Units: 4, PerUnit: 16}
	require.NoError(t, b.Check())
	assert.Equal(t, "pops.group[3].coupler[1]", b.Element(49))
	assert.Equal(t, "pops.group.coupler", b.Path())
	assert.Equal(t, 64, b.Size())
	first, end := b.Cells(Shard{First: 1, End: 3})
	assert.Equal(t, []int{16, 48}, []int{first, end})
	assert.Equal(t, "bus[2]", Bank{Name: "bus", Units: 3, PerUnit: 1}.Element(2))
	for _, bad := range []Bank{
		{Name: "", Units: 1, PerUnit: 1},
		{Name: "x y", Units: 1, PerUnit: 1},
		{Name: "x", Units: 0, PerUnit: 1},
		{Name: "x", Units: 1, PerUnit: 0},
		{Name: "x", Units: 1 << 16, PerUnit: 1 << 15},
	} {
		assert.Error(t, bad.Check(), "%+v", bad)
	}
}
