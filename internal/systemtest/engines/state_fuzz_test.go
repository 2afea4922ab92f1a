package engines

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/emulator"
	"starloom/internal/systemtest"
)

// alterations are states that differ from a state in one column: in an element, in all of them, in
// their number, and in what the column says of itself.
func alterations(state []byte, c systemtest.StateColumn, elements int,
	draw *rand.Rand) (altered [][]byte, what []string) {
	add := func(text string, change func(b []byte) []byte) {
		altered, what = append(altered, systemtest.Sealed(change(bytes.Clone(state)))), append(what, c.Name+": "+text)
	}
	count := (c.End - c.First) / c.Size
	for range min(count, elements) {
		i := draw.IntN(count)
		for range 3 { // most of a firmware's memory is empty
			if state[c.First+i*c.Size] == 0 {
				i = draw.IntN(count)
			}
		}
		at := c.First + i*c.Size
		value := draw.Uint64()
		for text, change := range map[string]func(b []byte){
			"highest": func(b []byte) { copy(b, bytes.Repeat([]byte{0xFF}, c.Size)) },
			"zero":    func(b []byte) { clear(b[:c.Size]) },
			"plus 1":  func(b []byte) { b[0]++ },
			"top bit": func(b []byte) { b[c.Size-1] ^= 0x80 },
			"random":  func(b []byte) { copy(b[:c.Size], binary.LittleEndian.AppendUint64(nil, value)) },
		} {
			add(fmt.Sprintf("element %d of %d %s", i, count, text), func(b []byte) []byte { change(b[at:]); return b })
		}
	}
	if count > 0 {
		add("all highest", func(b []byte) []byte { copy(b[c.First:], bytes.Repeat([]byte{0xFF}, c.End-c.First)); return b })
		add("all zero", func(b []byte) []byte { clear(b[c.First:c.End]); return b })
		add("all random", func(b []byte) []byte {
			for i := c.First; i < c.End; i++ {
				b[i] = byte(draw.Uint32())
			}
			return b
		})
	}
	resize := func(to int) func(b []byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint64(b[c.Kind+1:], uint64(to))
			if to > count {
				return slices.Insert(b, c.End, make([]byte, (to-count)*c.Size)...)
			}
			return slices.Delete(b, c.First+to*c.Size, c.End)
		}
	}
	for _, to := range []int{0, count / 2, count - 1, count + 1, 2*count + 8} {
		if to != count && to >= 0 {
			add(fmt.Sprintf("%d elements", to), resize(to))
		}
	}
	add("another kind", func(b []byte) []byte { b[c.Kind] ^= 0x80; return b })
	add("another name", func(b []byte) []byte { b[c.Head+2] ^= 1; return b })
	add("a count that is not there", func(b []byte) []byte { b[c.Kind+8] = 0x7F; return b })
	return altered, what
}

// stateScenarios have all kinds of what a state carries.
var stateScenarios = map[string]string{
	"random":    "fabric: {pops: {groups: 3, group_size: 4}}\nfirmware: {program: pops/random}\nseed: 3",
	"isolated":  "fabric: {pops: {groups: 2, group_size: 3}}\nfirmware: {program: pops/random, mode: isolated}\nseed: 8",
	"two-hops":  "fabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: pops/two-hops}",
	"sort":      "fabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: pops/sort}",
	"metered":   "fabric: {pops: {groups: 3, group_size: 3}}\nfirmware: {program: pops/random, cpu: {model: unit, budget_cycles: 300}}",
	"faults":    "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random}\nfaults: {schedule: [{kind: dead, targets: ['**.group[0].nic[1]'], slots: {from: 2}}, {kind: drop, probability: 0.3}, {kind: clock_pause, targets: ['**.nic[2]'], slots: {from: 3, to: 4}}]}",
	"gossip":    "fabric: {crossbar: {ports: 6}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: pipelined, sessions: 2}}",
	"lists":     "fabric: {crossbar: {ports: 6, cap: 2}}\nfirmware: {program: gossip/fsa, params: {scheduling: 2}}\nworkload: {gossip: {orders: identity}}",
	"turns":     "fabric: {crossbar: {ports: 5, cap: 2, cap_arbiter: matrix}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: identity}}",
	"matrices":  "fabric: {crossbar: {ports: 5, output: queue, arbiter: matrix}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: identity}}",
	"aloha":     "fabric: {crossbar: {ports: 5, medium: aloha}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: pipelined}}\nstop: {slots: 40}",
	"scatter":   "fabric: {crossbar: {ports: 6}}\nfirmware: {program: scatter/async}\nworkload: {scatter: {origin: 2}}",
	"voting":    "fabric: {crossbar: {ports: 5}}\nfirmware: {program: gossip/voting}\nworkload: {gossip: {orders: pipelined, sessions: 2, values: random}}",
	"bus":       "fabric: {bus: {vertices: 9, length: 3}}\nfirmware: {program: bus/two-phase}",
	"sensors":   "fabric: {bus: {vertices: 5, buses: [[1, 2, 3, 0], [4, 0, 2]], arbiter: round_robin}}\nfirmware: {program: bus/sensors, params: {period: 2, readings: 9}}",
	"matrix":    "fabric: {bus: {vertices: 5, buses: [[1, 2, 3, 0], [4, 0, 2]], arbiter: matrix}}\nfirmware: {program: bus/sensors, params: {period: 2, readings: 9}}",
	"traffic":   "fabric: {crossbar: {ports: 5, output: queue, queue_frames: 1}}\nfirmware: {program: crossbar/traffic, params: {take: 1}}\nworkload: {traffic: {rate: 0.6, size: [1, 2], warm_up: 2, measure: 8}}",
	"closed":    "fabric: {crossbar: {ports: 4}}\nfirmware: {program: crossbar/traffic}\nworkload: {traffic: {rate: 0.9, closed: 1, arrivals: bursty, burst: 20, warm_up: 2, measure: 8}}",
	"ej":        "fabric: {ej: {a: 1, b: 2, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 3}}",
	"ej all":    "fabric: {ej: {a: 1, b: 2, dimensions: 1, duplex: full}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {all_to_all: {}}",
	"ej credit": "fabric: {ej: {a: 1, b: 2, dimensions: 1, credits: 2}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 3}}",
}

// TestResetState: a machine that is reset has the state of one that was built, but for the fabric's, and one that has
// restored a state has that and nothing of its own run.
func TestResetState(t *testing.T) {
	for name, text := range stateScenarios {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			t.Run(name+" "+engine, func(t *testing.T) {
				s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+text+"\n"))
				require.NoError(t, err)
				save := func(m *starloom.Machine) []byte {
					var state bytes.Buffer
					require.NoError(t, m.Save(&state))
					return state.Bytes()
				}
				m := systemtest.Machine(t, s, systemtest.With(starloom.MachineOptions{Engine: engine, BankSize: 5}, emulator.Options{Audit: true, Parks: name == "ej"}))
				built := save(m)
				for range 3 {
					require.NoError(t, m.Step())
				}
				third := save(m)
				for range 5 {
					require.NoError(t, m.Step())
				}
				require.NoError(t, m.Restore(bytes.NewReader(third)))
				require.True(t, bytes.Equal(third, save(m)), "restored: %s", stateDifference(t, third, save(m)))
				require.NoError(t, m.Step())
				require.NoError(t, m.Reset(s.Seed))
				for _, name := range stateDifference(t, built, save(m)) { // the fabric keeps frames that it will not look at
					require.False(t, strings.HasPrefix(name, "machine."), "reset: %s", name)
				}
			})
		}
	}
}

// stateDifference names the columns in which two states differ.
func stateDifference(t *testing.T, a, b []byte) (names []string) {
	columns, others := systemtest.StateColumns(t, a), systemtest.StateColumns(t, b)
	require.Equal(t, len(columns), len(others))
	for i, c := range columns {
		if o := others[i]; c.Name != o.Name || !bytes.Equal(a[c.First:c.End], b[o.First:o.End]) {
			names = append(names, c.Name)
		}
	}
	return names
}

// TestLongAlteredStates checks that any state with a correct checksum is refused with a reason, or that its run comes
// to its end.
func TestLongAlteredStates(t *testing.T) {
	elements, depth := 1, 1 // with -full it takes minutes
	if *systemtest.Full {
		elements, depth = 20, 2
	}
	for name, text := range stateScenarios {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			t.Run(name+" "+engine, func(t *testing.T) {
				s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+text+"\n"))
				require.NoError(t, err)
				s.Stop.Slots = min(s.Stop.Slots, 25)
				options := systemtest.With(starloom.MachineOptions{Engine: engine, BankSize: 5}, emulator.Options{Audit: true, Parks: name == "ej"})
				m := systemtest.Machine(t, s, options)
				draw := rand.New(rand.NewPCG(1, 21))
				for _, slots := range []int{4, 1}[:depth] {
					require.NoError(t, m.Reset(s.Seed))
					for range slots {
						require.NoError(t, m.Step())
					}
					var state bytes.Buffer
					require.NoError(t, m.Save(&state))
					for _, c := range systemtest.StateColumns(t, state.Bytes()) {
						altered, what := alterations(state.Bytes(), c, elements, draw)
						for i := range altered {
							if goOn(t, m, s, altered[i], what[i]) {
								m = systemtest.Machine(t, s, options)
							}
						}
					}
				}
			})
		}
	}
}

// goOn restores a state and runs to the end.
func goOn(t *testing.T, m *starloom.Machine, s *starloom.Scenario, state []byte, what string) (broken bool) {
	defer func() {
		if value := recover(); value != nil {
			if fault, ok := value.(runtime.Error); ok { // else an invariant of the hardware: refuseBroken
				t.Errorf("%s: %v\n%s", what, fault, debug.Stack())
			}
			broken = true
		}
	}()
	if err := m.Restore(bytes.NewReader(state)); err != nil {
		require.NotContains(t, err.Error(), "runtime error", what)
		require.NoError(t, m.Reset(s.Seed))
		return false
	}
	if err := m.Run(context.Background(), nil); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	require.NoError(t, m.Report().WriteJSON(new(bytes.Buffer)))
	return false
}
