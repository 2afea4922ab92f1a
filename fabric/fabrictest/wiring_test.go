package fabrictest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/bus"
	"starloom/fabric/crossbar"
	"starloom/fabric/ej"
	"starloom/fabric/pops"
	"starloom/fabric/wired"
)

// onWires is a network without its slot engine, so that its wiring is used.
type onWires struct{ fabric.Network }

func (o onWires) Abilities() fabric.Abilities {
	a := o.Network.Abilities()
	a.Slot = fabric.SlotEngine{Transport: func(c *fabric.Config) (fabric.Transport,
		error) {
		return wired.New(o.Network, c)
	}}
	if adapt := a.Adapt; adapt != nil {
		a.Adapt = func(program, schedule string, params map[string]int64) fabric.Network {
			return onWires{adapt(program, schedule, params)}
		}
	}
	return a
}

// wiredScenarios holds runs of every passive network, with faults.
var wiredScenarios = map[string]string{
	"random":        "fabric: {pops: {groups: 5, group_size: 5}}\nfirmware: {program: pops/random}",
	"loses":         "fabric: {pops: {groups: 3, group_size: 7}}\nfirmware: {program: pops/random}\nlink: {phit_bits: 8}\nseed: 8",
	"corrected":     "fabric: {pops: {groups: 4, group_size: 9}}\nfirmware: {program: pops/random-corrected}\nnic: {rx_frames: 1}",
	"offline":       "fabric: {pops: {groups: 7, group_size: 2}}\nfirmware: {program: pops/offline}",
	"sort":          "fabric: {pops: {groups: 4, group_size: 3}}\nfirmware: {program: pops/sort}",
	"one to all":    "fabric: {pops: {groups: 4, group_size: 3}}\nfirmware: {program: pops/one-to-all}\nworkload: {one_to_all: {source: 5}}",
	"star faults":   "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random-corrected}\nstop: {slots: 200}\nfaults: {random: {kind: bit_flip, rate: 0.02}, schedule: [{kind: drop, probability: 0.02}, {kind: stuck, targets: ['pops.group[1].coupler[0]'], slots: {from: 3, to: 30}}]}",
	"broadcast":     "fabric: {ej: {a: 2, b: 3, dimensions: 2}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 3}}",
	"misprinted":    "fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/misprinted}\nworkload: {one_to_all: {source: 0}}",
	"all to all":    "fabric: {ej: {a: 1, b: 2, dimensions: 2}}\nfirmware: {program: ej/all-to-all-c1}\nworkload: {all_to_all: {}}",
	"published":     "fabric: {ej: {a: 1, b: 2, dimensions: 2, duplex: full}}\nfirmware: {program: ej/all-to-all}\nworkload: {all_to_all: {}}",
	"credits":       "fabric: {ej: {a: 1, b: 2, dimensions: 1, credits: 1}}\nfirmware: {program: ej/all-to-all-c1}\nworkload: {all_to_all: {}}\nstop: {slots: 100}",
	"lost credits":  "fabric: {ej: {a: 1, b: 2, dimensions: 1, credits: {depth: 2, resync_slots: 8}}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {all_to_all: {}}\nstop: {slots: 100}\nfaults: {random: {kind: drop, rate: 0.05}}",
	"link faults":   "fabric: {ej: {a: 3, b: 4, dimensions: 1}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}\nstop: {slots: 20}\nfaults: {random: {kind: bit_flip, rate: 0.05}, schedule: [{kind: dead, targets: ['ej.node[36].nic[*]'], slots: {list: [1]}}]}",
	"buses":         "fabric: {bus: {vertices: 17, length: 4}}\nfirmware: {program: bus/two-phase}",
	"naive":         "fabric: {bus: {vertices: 9, length: 2}}\nfirmware: {program: bus/naive}\nlink: {phit_bits: 9, propagation_cycles: 2}",
	"contention":    "fabric: {bus: {vertices: 6, buses: [[1, 2, 3, 4, 5, 0]]}}\nfirmware: {program: bus/sensors, params: {period: 4, spread: 2, readings: 8}}\nrules: {}\nstop: {slots: 120}",
	"busy, faulted": "fabric: {bus: {vertices: 12, length: 3}}\nfirmware: {program: bus/improved}\nstop: {slots: 40}\nfaults: {random: {kind: drop, rate: 0.1}, schedule: [{kind: bit_flip, probability: 0.1}]}",
}

// TestWiring compares the slot engine of package wired with a network's own and with the cycle engine, in all
// divisions and from any state.
func TestWiring(t *testing.T) {
	for name, scenario := range wiredScenarios {
		t.Run(name, func(t *testing.T) {
			parsed := func(t testing.TB) *starloom.Scenario {
				s, err := starloom.ParseScenario("wired.yaml", []byte("starloom: 1\nname: wired\n"+scenario+"\n"))
				require.NoError(t, err)
				return s
			}
			wired := func(t testing.TB) *starloom.Scenario {
				s := parsed(t)
				var own fabric.Network
				switch {
				case s.Fabric.POPS != nil:
					own = *s.Fabric.POPS
				case s.Fabric.EJ != nil:
					own = *s.Fabric.EJ
				default:
					own = *s.Fabric.Bus
				}
				s.Fabric = starloom.Fabric{Custom: onWires{own}}
				return s
			}
			fast, reference := Case{Scenario: parsed}, Case{Scenario: wired}
			want := fast.run(t, starloom.MachineOptions{Engine: starloom.EngineSlot})
			require.Equal(t, want, fast.run(t, starloom.MachineOptions{Engine: starloom.EngineCycle}), "the hardware")
			for _, bank := range []int{1, 7, 1000} {
				o := starloom.MachineOptions{Engine: starloom.EngineSlot, BankSize: bank, Workers: 1 + bank%2}
				require.Equal(t, want, reference.run(t, o), fmt.Sprintf("%+v", o))
			}
			reference.state(t, want)
		})
	}
}

// TestWrappersKeepAbilities requires that a wrapper keeps all abilities of the inner network but the listed ones.
func TestWrappersKeepAbilities(t *testing.T) {
	replaced := []string{"Adapt", "Slot", "Credits"}
	able := map[string]bool{}
	for _, n := range []fabric.Network{
		pops.Network{Groups: 3, GroupSize: 2}, ej.Network{A: 1, B: 2, Dimensions: 1}, crossbar.Network{Ports: 3},
		bus.Network{Vertices: 3, Buses: [][]int{{0, 1, 2}}},
		*parsed(t, "fabric: {netlist: {ring: {n: 3}}}\nfirmware: {program: netlist/next-hop}").Fabric.Netlist,
	} {
		mirrored, err := Mirror(n)
		require.NoError(t, err)
		for _, wrapper := range []fabric.Network{mirrored, onWires{n}, struct{ fabric.Network }{n}} {
			kept := abilitiesOf(wrapper)
			for name, want := range abilitiesOf(n) {
				able[name] = able[name] || !want.IsZero()
				switch got, what := kept[name], fmt.Sprintf("%s of %T around %s", name, wrapper, n.Kind()); {
				case slices.Contains(replaced, name):
				case want.Kind() == reflect.Func:
					require.Equal(t, want.Pointer(), got.Pointer(), what)
				case want.Kind() == reflect.Slice:
					require.Equal(t, want.Len(), got.Len(), what)
				default:
					require.Equal(t, want.Interface(), got.Interface(), what)
				}
			}
		}
	}
	// A plain wrapper would be lost to an ability that returns the inner network.
	plain := struct{ fabric.Network }{pops.Network{Groups: 3, GroupSize: 2}}
	require.Nil(t, fabric.Resized(plain, -1))
	plain.Network = ej.Network{A: 1, B: 2, Dimensions: 1}
	require.Equal(t, plain, fabric.Adapted(plain, "ej/improved", "", nil))
	settled, _ := fabric.Settled(plain)
	require.Equal(t, plain, settled)
	for _, name := range []string{"Memory.Queue", "Slot", "Memory.Slot", "Memory.Workload", "Twins.Whole", "Description.Studies"} {
		require.True(t, able[name], "no network here has %s", name)
	}
}

// abilitiesOf returns the abilities of a network by field name, including fields of groups.
func abilitiesOf(n fabric.Network) map[string]reflect.Value {
	all, abilities := map[string]reflect.Value{}, reflect.ValueOf(n.Abilities())
	for i := range abilities.NumField() {
		name, value := abilities.Type().Field(i).Name, abilities.Field(i)
		switch value.Interface().(type) {
		case fabric.Schedules, fabric.Twins, fabric.Memory, fabric.Description:
			for k := range value.NumField() {
				all[name+"."+value.Type().Field(k).Name] = value.Field(k)
			}
		default:
			all[name] = value
		}
	}
	return all
}
