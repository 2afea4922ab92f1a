package explore

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/explore"
	"starloom/internal/inside"
)

// asSearch is a variable with a folder: this test binary then explores the scenario in it and keeps the search there.
const asSearch = "STARLOOM_TEST_EXPLORE"

func searchIn(folder string) (status int) {
	s, err := starloom.LoadScenario(filepath.Join(folder, "scenario.yaml"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	c, err := inside.Config(s)
	if err == nil {
		var r *outcome.Explored
		r, err = explore.Of(context.Background(), c, *s.Explore, explore.Options{Workers: 2,
			Saved: explore.Saved{Folder: filepath.Join(folder, "out"), Every: time.Millisecond}})
		if err == nil {
			err = r.WriteJSON(os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	return 0
}

// A search that is killed again and again ends with the bytes of an uninterrupted one.
func TestKilled(t *testing.T) {
	for name, x := range map[string]struct{ scenario, faults string }{
		"holds":        {protocol(t, 0, 20), "{drop: 4, miss: 2}"},
		"fails":        {protocol(t, 6, 20), "{drop: 3, miss: 2}"},
		"permutations": {scenarios[1].scenario + "workload: {permutation: all}\n", "{drop: 3, bit_flip: 2}"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			text := x.scenario + "explore: {faults: " + x.faults + "}\n"
			require.NoError(t, os.WriteFile(filepath.Join(folder, "scenario.yaml"), []byte(text), 0o600))
			whole := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(whole, "scenario.yaml"), []byte(text), 0o600))
			want, err := process(whole).Output()
			require.NoError(t, err)
			random, kills := rand.New(rand.NewPCG(1, uint64(len(name)))), 0
			for ; ; kills++ {
				c := process(folder)
				var got bytes.Buffer
				c.Stdout, c.Stderr = &got, os.Stderr
				before := savedAt(folder)
				require.NoError(t, c.Start())
				ended := make(chan error, 1)
				go func() { ended <- c.Wait() }()
				for kills < 6 && len(ended) == 0 && savedAt(folder).Equal(before) {
					time.Sleep(time.Millisecond)
				}
				if kills < 6 {
					time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond)
					_ = c.Process.Kill()
				}
				err := <-ended
				if err == nil {
					assert.Equal(t, string(want), got.String())
					break
				}
				require.Equal(t, -1, c.ProcessState.ExitCode(), "killed")
			}
			t.Logf("%d kills", kills)
			assert.Positive(t, kills)
		})
	}
}

// savedAt returns the time of the last save in a folder, zero if there is none.
func savedAt(folder string) (last time.Time) {
	_ = filepath.WalkDir(filepath.Join(folder, "out"), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	return last
}

func process(folder string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), asSearch+"="+folder)
	return c
}

// A limit may be raised for a search in a folder, which then ends as without the lower limit. All else is refused.
func TestSavedSearchGoesOn(t *testing.T) {
	folder := t.TempDir()
	run := func(set ...starloom.Assignment) (*outcome.Explored, error) {
		s, err := starloom.ParseScenario("", []byte(protocol(t, 0, 3)), append(set,
			starloom.Assignment{Key: "explore.faults", Value: "{drop: 2}"})...)
		require.NoError(t, err)
		return starloom.Explore(t.Context(), s, starloom.ExploreOptions{Out: folder})
	}
	r, err := run(starloom.Assignment{Key: "explore.states", Value: "40"})
	require.NoError(t, err)
	require.Equal(t, outcome.Open, r.Verdict)
	again, err := run(starloom.Assignment{Key: "explore.states", Value: "40"})
	require.NoError(t, err)
	assert.Equal(t, r.Counts, again.Counts)
	r, err = run()
	require.NoError(t, err)
	require.Equal(t, outcome.Holds, r.Verdict)
	assert.Equal(t, explored(t, protocol(t, 0, 3), "{drop: 2}", explore.Options{}).Levels, r.Levels)
	var refused *starloom.InputError
	_, err = run(starloom.Assignment{Key: "explore.targets", Value: "[bus.bus*]"})
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, err.Error(), "belongs to the bounds")
	_, err = run(starloom.Assignment{Key: "stop.slots", Value: "99"})
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, err.Error(), "belongs to another scenario")
	path := filepath.Join(folder, "search.explore")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, cut := range []int{len(data) - 1, len(data) / 2, 10, 0} {
		require.NoError(t, os.WriteFile(path, data[:cut], 0o600))
		_, err = run()
		require.ErrorAs(t, err, &refused, "%d of %d bytes", cut, len(data))
	}
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(path, data, 0o600))
	_, err = run()
	require.ErrorContains(t, err, "is damaged")
}

// States of RTL are differences from a state that machines of one build have in common, also in another search.
func TestLongStatesOfRTL(t *testing.T) {
	folder, texts := t.TempDir(), map[string]bool{}
	for _, o := range []starloom.ExploreOptions{{}, {Workers: 2}, {Out: folder}, {Out: folder, Workers: 2}} {
		var set []starloom.Assignment
		if o.Out != "" && o.Workers == 0 { // continued by the last one
			set = append(set, starloom.Assignment{Key: "explore.slots", Value: "12"})
		}
		s, err := starloom.LoadScenario("examples/rtl/gossip-4.yaml", append([]starloom.Assignment{
			{Key: "explore", Value: "{faults: {drop: 1}, slots: 30}"}}, set...)...)
		require.NoError(t, err)
		r, err := starloom.Explore(t.Context(), s, o)
		require.NoError(t, err)
		require.Equal(t, outcome.Open, r.Verdict)
		if len(set) > 0 {
			continue
		}
		var text bytes.Buffer
		require.NoError(t, r.WriteJSON(&text))
		texts[text.String()] = true
	}
	assert.Len(t, texts, 1)
}
