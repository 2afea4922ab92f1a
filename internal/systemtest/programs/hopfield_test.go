package programs

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/inside"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// TestHopfieldRecalls: 1,024 neurons recall 10 of 10 random patterns with 10 % of the bits flipped, for 10 seeds.
func TestHopfieldRecalls(t *testing.T) {
	s := systemtest.HopfieldScenario(64, map[string]int64{"neurons": 16, "patterns": 10, "flips": 10, "sweeps": 3}, starloom.Gossip{Sessions: 40})
	s.Stop.Slots = 10_000
	m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Engine: starloom.EngineSlot})
	require.NoError(t, err)
	defer m.Close()
	for seed := range uint64(10) {
		require.NoError(t, m.Reset(seed))
		require.NoError(t, m.Run(t.Context(), nil))
		report := m.Report()
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		require.Equal(t, []any{1024, 10, 10, 10}, []any{report.Metrics.Get("neurons"), report.Metrics.Get("patterns"),
			report.Metrics.Get("recalls"), report.Metrics.Get("recalled")})
	}
}

// TestHopfieldAgainstReference holds every update and energy to a network with a full matrix
// of weights, and the starts to their number of flipped bits. Energy never rises.
func TestHopfieldAgainstReference(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	moved := 0
	for k := range 60 {
		n, neurons, patterns := 2+random.IntN(6), 1+random.IntN(70), 1+random.IntN(8)
		flips, sweeps := random.IntN(101), random.IntN(4)
		all, sessions := n*neurons, 1+random.IntN(8)
		x := make([][]int, patterns)
		var file strings.Builder
		for p := range x {
			x[p] = make([]int, all)
			for a := range x[p] {
				x[p][a] = 2*random.IntN(2) - 1
				file.WriteString(strings.TrimPrefix(fmt.Sprintf(",%d", max(x[p][a], -k%2)), ",")) // -1 or 0
				if a < all-1 {
					file.WriteByte(',')
				}
			}
			file.WriteByte('\n')
		}
		path := filepath.Join(t.TempDir(), "patterns.csv")
		require.NoError(t, os.WriteFile(path, []byte(file.String()), 0o666))
		params := map[string]int64{"neurons": int64(neurons), "flips": int64(flips), "sweeps": int64(sweeps), "scheduling": []int64{0, 2, 3}[k%3]}
		s := systemtest.HopfieldScenario(n, params, starloom.Gossip{Values: path, Sessions: sessions, Orders: "shared-random"})
		s.Seed = uint64(k)
		m := systemtest.MachineRun(t, s)
		report := m.Report()
		what := fmt.Sprintf("%d: %d processors, %+v, %d patterns, %d sessions", k, n, params, patterns, sessions)
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%s %+v", what, report.Violations)

		w := make([][]int, all)
		for a := range w {
			w[a] = make([]int, all)
			for b := range w[a] {
				for p := range x {
					if a != b {
						w[a][b] += x[p][a] * x[p][b]
					}
				}
			}
		}
		energy := func(state []int) (e int64) {
			for a := range state {
				for b := range a {
					e -= int64(w[a][b] * state[a] * state[b])
				}
			}
			return e
		}
		var want []int64
		var state []int
		var wrong []int
		for session := range sessions {
			recall, sweep := 0, session
			if sweeps > 0 {
				recall, sweep = session/(1+sweeps), session%(1+sweeps)
			}
			found := make([]int, all)
			for a := range found {
				words := (neurons + 63) / 64
				value, given := inside.Machine(m).Results.Get(a/neurons, uint32(session*words+a%neurons/64))
				require.True(t, given, what)
				found[a] = 2*int(value>>(a%neurons%64)&1) - 1
			}
			if sweep == 0 {
				flipped := 0
				for a := range found {
					if found[a] != x[recall%patterns][a] {
						flipped++
					}
				}
				require.Equal(t, (all*flips+50)/100, flipped, what)
				state = found
			} else {
				for a := range state {
					field := 0
					for b := range state {
						field += w[a][b] * state[b]
					}
					if field*state[a] < 0 {
						state[a] = -state[a]
						moved++
					}
				}
				require.Equal(t, state, found, "%s: session %d", what, session)
				require.LessOrEqual(t, energy(state), want[session-1], what)
			}
			want = append(want, energy(state))
			if sweep == 0 {
				wrong = append(wrong, 0)
			}
			wrong[recall] = 0
			for a := range state {
				if state[a] != x[recall%patterns][a] {
					wrong[recall]++
				}
			}
		}
		require.Equal(t, want, report.Metrics.Get("energy"), what)
		require.Equal(t, wrong, report.Metrics.Get("wrong_bits"), what)
	}
	require.Greater(t, moved, 1000)
}

// TestHopfieldSeeds checks that patterns, starts and results follow from the seed.
func TestHopfieldSeeds(t *testing.T) {
	s := systemtest.HopfieldScenario(4, nil, starloom.Gossip{Sessions: 3})
	m := systemtest.MachineRun(t, s)
	first := m.Report()
	require.NoError(t, m.Reset(s.Seed+1))
	require.NoError(t, m.Run(t.Context(), nil))
	require.NotEqual(t, first.Metrics.Get("energy"), m.Report().Metrics.Get("energy"))
	require.NoError(t, m.Reset(s.Seed))
	require.NoError(t, m.Run(t.Context(), nil))
	require.Equal(t, first, m.Report())
	// The defaults of the image are those of the network.
	s.Firmware.Params = map[string]int64{"neurons": 16, "patterns": 10, "flips": 10, "sweeps": 0}
	require.Equal(t, first, systemtest.MachineRun(t, s).Report())
}

// TestHopfieldAscends: firmware that updates against the field breaks the rule energy.
func TestHopfieldAscends(t *testing.T) {
	report := systemtest.MachineRun(t, systemtest.Ascends(t)).Report()
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.Equal(t, starloom.RuleEnergy, report.Violations[0].Rule)
	require.Regexp(t, `^processor \d raised the energy from -?\d+ to -?\d+ in session [12]$`, report.Violations[0].Message)
}

// TestSmallPayloads: a payload too small for what the program says is refused up front; one that
// is left open becomes what the program needs. One session of a recall updates nothing, and the
// report says so.
func TestSmallPayloads(t *testing.T) {
	for _, c := range []struct {
		program, params, workload string
		needs                     int
	}{
		{"gossip/fsa", "", "gossip", 8}, {"gossip/voting", "", "gossip", 16}, {"scatter/sync", "", "scatter", 8}, {"scatter/async", "", "scatter", 8},
		{"gossip/hopfield", ", params: {neurons: 64}", "gossip", 16}, {"gossip/hopfield", ", params: {neurons: 65}", "gossip", 17},
	} {
		scenario := func(nic string) string {
			return fmt.Sprintf("starloom: 1\nfabric: {crossbar: {ports: 5}}\nfirmware: {program: %s%s}\nworkload: {%s: {}}\n%s", c.program, c.params, c.workload, nic)
		}
		s, err := starloom.ParseScenario("s.yaml", []byte(scenario("")))
		require.NoError(t, err)
		require.Equal(t, c.needs, s.NIC.PayloadBytes)
		s, err = starloom.ParseScenario("s.yaml", []byte(scenario(fmt.Sprintf("nic: {payload_bytes: %d}\n", c.needs))))
		require.NoError(t, err)
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Zero(t, report.ViolationsTotal)
		require.Equal(t, c.program == "gossip/hopfield", slices.ContainsFunc(report.Notes,
			func(note string) bool {
				return strings.HasPrefix(note, "a single session only spreads the initial state")
			}))
		_, err = starloom.ParseScenario("s.yaml", []byte(scenario(fmt.Sprintf("nic: {payload_bytes: %d}\n", c.needs-1))))
		require.EqualError(t, err, fmt.Sprintf("s.yaml:5:22: nic.payload_bytes is %d, but a message of %s has %d bytes; "+
			"give at least %d", c.needs-1, c.program, c.needs, c.needs))
	}
}
