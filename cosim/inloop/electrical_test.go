package inloop

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// noise drives signals and request lines with random values, each cycle's a function of its
// number.
type noise struct {
	clock   *hw.Clock
	signals []*hw.Signal
	lines   []*hw.Requests
}

func (n *noise) Path() string           { return "noise" }
func (n *noise) Reset()                 {}
func (n *noise) State(*hw.StateVisitor) {}
func (n *noise) Drives() (wires []hw.Wire) {
	for _, s := range n.signals {
		wires = append(wires, s)
	}
	for _, l := range n.lines {
		wires = append(wires, l)
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
	for _, l := range n.lines {
		l.Clear(0)
		for arbiter := range uint32(5) {
			for requester := range uint32(l.Requesters()) {
				if r.IntN(3) == 0 {
					l.Raise(0, arbiter, requester)
				}
			}
		}
	}
}

// TestElectricalBanksInTheLoop: banks that are in no machine yet need no code of their own
// here, either.
func TestElectricalBanksInTheLoop(t *testing.T) {
	bank := hw.Bank{Name: "x", Units: 1, PerUnit: 5}
	type wiring struct {
		signal func(name string, bits int) *hw.Signal
		lines  func(requesters int) *hw.Requests
	}
	builds := map[string]func(w wiring) (hw.Sited, error){
		"fifos": func(w wiring) (hw.Sited, error) {
			return hw.NewFIFOs(hw.FIFOConfig{Bank: bank, Depth: 3, Width: 17, CountBits: 4, Push: w.signal("push", 1), Pop: w.signal("pop", 1), Data: w.signal("data", 17)})
		},
		"lfsrs": func(w wiring) (hw.Sited, error) {
			return hw.NewLFSRs(bank, []uint32{1, 2, 3, 4, 5}, w.signal("enable", 1))
		},
	}
	for kind, name := range hw.ArbiterKinds {
		builds[name] = func(w wiring) (hw.Sited, error) {
			c := hw.ArbiterConfig{Bank: bank, Kind: hw.ArbiterKind(kind), Request: w.lines(100)}
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
				model, err := build(wiring{
					signal: func(name string, bits int) *hw.Signal {
						s, err := hw.NewSignal(hw.Bank{Name: "noise", Units: 1, PerUnit: 5}, name, bits)
						require.NoError(t, err)
						source.signals = append(source.signals, s)
						return s
					},
					lines: func(requesters int) *hw.Requests {
						l, err := hw.NewRequests(bank, "request", requesters, hw.Shards(1, 1))
						require.NoError(t, err)
						source.lines = append(source.lines, l)
						return l
					},
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
