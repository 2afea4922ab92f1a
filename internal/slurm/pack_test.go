package slurm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v4"
)

func unitsOf(count int, time time.Duration, memory uint64) (units []*unit) {
	for i := range count {
		units = append(units, &unit{Unit: Unit{Key: fmt.Sprintf("k%d", i), Time: time, Memory: memory}})
	}
	return units
}

// TestPack checks that short units share a task, long ones have their own, and every unit is in one task.
func TestPack(t *testing.T) {
	for name, c := range map[string]struct {
		units       []*unit
		parallelism int
		tasks       int
		limit       time.Duration
	}{
		"one":                    {unitsOf(1, time.Second, 1<<20), 0, 1, time.Minute},
		"short ones":             {unitsOf(1000, 20*time.Millisecond, 1<<20), 0, 1, 2 * time.Minute},
		"as many as run at once": {unitsOf(1000, time.Second, 1<<20), 10, 10, 8 * time.Minute},
		"not longer than long":   {unitsOf(1000, time.Minute, 1<<20), 2, 100, 32 * time.Minute},
		"long ones":              {unitsOf(5, time.Hour, 1<<20), 0, 5, 4 * time.Hour},
	} {
		tasks := pack(c.units, c.parallelism)
		require.Len(t, tasks, c.tasks, name)
		seen := map[*unit]bool{}
		for _, task := range tasks {
			require.Equal(t, c.limit, task.limit, name)
			for _, u := range task.units {
				require.False(t, seen[u])
				seen[u] = true
			}
		}
		require.Len(t, seen, len(c.units))
	}
	mixed := append(unitsOf(3, time.Second, 100<<20), unitsOf(3, time.Second, 3000<<20)...)
	mixed[0].alone = true
	tasks := pack(mixed, 0)
	require.Len(t, tasks, 3) // tasks: the large units, the unit that must be alone, the others
	all := arrays(tasks, 100)
	require.Len(t, all, 2)
	require.Equal(t, uint64(4096<<20), all[0].memory)
	require.Equal(t, uint64(128<<20), all[1].memory)
	require.Len(t, arrays(pack(unitsOf(50, time.Hour, 1), 0), 20), 3)
}

// TestTimes checks time limits in Slurm's syntax.
func TestTimes(t *testing.T) {
	for text, d := range map[string]time.Duration{
		"infinite": 0, "30:00": 30 * time.Minute, "1:00:00": time.Hour, "2-00:00:00": 48 * time.Hour, "1-12": 36 * time.Hour, "45": 45 * time.Minute, "n/a": 0,
	} {
		require.Equal(t, d, timeOf(text), text)
	}
	for d, text := range map[time.Duration]string{time.Second: "1", 8 * time.Minute: "8", time.Hour: "1:00:00", 26 * time.Hour: "26:00:00"} {
		require.Equal(t, text, minutes(d))
	}
	require.Equal(t, 2*time.Minute, rounded(61*time.Second))
	require.Equal(t, 3*time.Hour, rounded(121*time.Minute))
}

// TestScript checks the script for sbatch.
func TestScript(t *testing.T) {
	var text strings.Builder
	w := &Work{
		Name: "starloom-s", Folder: "/shared/my results/slurm", Dir: "/shared/it's", Command: []string{"/opt/starloom", "sweep", "a b.yaml", "--points"},
		Settings: &Settings{Partition: "fast", Account: "me", QOS: "low", ArrayParallelism: 3, Setup: "module load x\nulimit -v unlimited\n", Options: []string{"--constraint=avx2"}},
		Units:    []Unit{{Key: "k0", Time: time.Minute, Memory: 1 << 30}, {Key: "k1", Time: time.Minute, Memory: 1 << 30}},
	}
	require.NoError(t, WriteScripts(&text, w))
	require.Equal(t, `#!/bin/sh
#SBATCH --job-name=starloom-s-0
#SBATCH --array=0-1%3
#SBATCH --ntasks=1
#SBATCH --mem=1280M
#SBATCH --time=4
#SBATCH --no-requeue
#SBATCH --output="/shared/my results/slurm/starloom-s-0/%a.log"
#SBATCH --partition=fast
#SBATCH --account=me
#SBATCH --qos=low
#SBATCH --constraint=avx2

module load x
ulimit -v unlimited
cd '/shared/it'\''s' || exit
task='/shared/my results/slurm/starloom-s-0'/$SLURM_ARRAY_TASK_ID
began=$(date +%s)
echo "$(uname -n) $began" > "$task.began.new" && mv "$task.began.new" "$task.began"
/opt/starloom sweep 'a b.yaml' --points "$task.keys"
status=$?
echo "$(uname -n) $began $(date +%s) $status" > "$task.ended.new" && mv "$task.ended.new" "$task.ended"
exit $status
# 2 tasks for 2 points

`, text.String())
}

func TestSettings(t *testing.T) {
	read := func(text string) (*Settings, error) {
		var node yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(text), &node))
		return Read("sweep.yaml", node.Content[0])
	}
	s, err := read("{partition: fast, array_parallelism: 7, options: [--exclusive], setup: module load x}")
	require.NoError(t, err)
	s.places = nil
	require.Equal(t, &Settings{Partition: "fast", ArrayParallelism: 7, Options: []string{"--exclusive"}, Setup: "module load x"}, s)
	for _, bad := range []string{"{partitoin: fast}", "{array_parallelism: 0}", "{options: [exclusive]}", "{options: --exclusive}", "{partition: a b}", "[1]", `{options: ["--a\n--b"]}`} {
		_, err := read(bad)
		require.ErrorContains(t, err, "sweep.yaml:1:", bad)
	}
}
