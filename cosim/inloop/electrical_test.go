package inloop

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// noise drives signals with random values, each cycle's a function of its number.
type noise struct {
	clock   *hw.Clock
	signals []*hw.Signal
}

func (n *noise) Path() string           { return "noise" }
func (n *noise) Reset()                 {}
func (n *noise) State(*hw.StateVisitor) {}
func (n *noise) Drives() (wires []hw.Wire) {
	for _, s := range n.signals {
		wires = append(wires, s)
	}
	return wires
}

func (n *noise) Drive(hw.Shard) {
	r := rand.New(rand.NewPCG(1, n.clock.Cycle()))
	for _, s := range n.signals {
		for i := range s.Value {
			s.Value[i] = r.Uint64() >> (64 - s.Bits())
		}
	}
}

// TestElectricalBanksInTheLoop: banks that are in no machine yet need no code of their own
// here, either.
func TestElectricalBanksInTheLoop(t *testing.T) {
	bank := hw.Bank{Name: "x", Units: 1, PerUnit: 5}
	builds := map[string]func(signal func(name string, bits int) *hw.Signal) (hw.Sited, error){
		"fifos": func(signal func(string, int) *hw.Signal) (hw.Sited, error) {
			return hw.NewFIFOs(hw.FIFOConfig{Bank: bank, Depth: 3, Width: 17, CountBits: 4, Push: signal("push", 1), Pop: signal("pop", 1), Data: signal("data", 17)})
		},
		"lfsrs": func(signal func(string, int) *hw.Signal) (hw.Sited, error) {
			return hw.NewLFSRs(bank, []uint32{1, 2, 3, 4, 5}, signal("enable", 1))
		},
	}
	for kind, name := range hw.ArbiterKinds {
		builds[name] = func(signal func(string, int) *hw.Signal) (hw.Sited, error) {
			c := hw.ArbiterConfig{Bank: bank, Kind: hw.ArbiterKind(kind), Requesters: 4, Request: signal("request", 4)}
			if c.Kind == hw.ArbiterTDMA {
				c.SliceCycles = 3
			}
			return hw.NewArbiters(c)
		}
	}
	for name, build := range builds {
		t.Run(name, func(t *testing.T) {
			play := func(replaced ...int) (log string) {
				workers := hw.NewWorkers(1)
				defer workers.Close()
				kernel := hw.NewKernel(workers, hw.Shards(1, 1))
				source := &noise{clock: kernel.Clock()}
				model, err := build(func(name string, bits int) *hw.Signal {
					s, err := hw.NewSignal(hw.Bank{Name: "noise", Units: 1, PerUnit: 5}, name, bits)
					require.NoError(t, err)
					source.signals = append(source.signals, s)
					return s
				})
				require.NoError(t, err)
				loop, err := New(kernel)
				require.NoError(t, err)
				component, err := loop.Replace(model, oneEach(t, model.Site(), replaced)...)
				require.NoError(t, err)
				kernel.Add(source, component)
				require.NoError(t, kernel.Build())
				for range 200 {
					kernel.DriveAndSettle()
					kernel.Probes(func(p hw.Probe) { log += fmt.Sprintf("%x ", p.Value()) })
					kernel.Latch()
				}
				require.Nil(t, loop.Fault())
				return log
			}
			require.Equal(t, play(), play(4, 1, 2))
		})
	}
}
