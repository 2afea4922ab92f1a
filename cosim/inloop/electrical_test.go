package inloop

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// noise drives signals, request lines and lists with random values, which depend on the number of the cycle.
type noise struct {
	clock   *hw.Clock
	signals []*hw.Signal
	lines   []*hw.Requests
	lists   []*hw.Lists
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
	for _, l := range n.lists {
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
	for _, l := range n.lists {
		for i := range l.Answer {
			l.Answer[i] = hw.ListRequest{Valid: []uint64{r.Uint64()}, First: r.Uint32N(7)}
			for range r.IntN(7) { // a list may be shorter
				l.Answer[i].List = append(l.Answer[i].List, r.Uint32N(4))
			}
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

// TestElectricalBanksInTheLoop checks that banks outside of any machine need no code of their own here, either.
func TestElectricalBanksInTheLoop(t *testing.T) {
	bank := hw.Bank{Name: "x", Units: 1, PerUnit: 5}
	type wiring struct {
		signal func(name string, bits int) *hw.Signal
		side   func(name string, bits int) *hw.Signal // a signal with four values for each element
		common func(name string, bits int) *hw.Signal // a signal with one value for all elements
		lines  func(requesters int) *hw.Requests
		lists  func(length int) *hw.Lists
	}
	builds := map[string]func(w wiring) (hw.Sited, error){
		"fifos": func(w wiring) (hw.Sited, error) {
			return hw.NewFIFOs(hw.FIFOConfig{Bank: bank, Depth: 3, Width: 17, CountBits: 4, Push: w.signal("push", 1), Pop: w.signal("pop", 1), Data: w.signal("data", 17)})
		},
		"lfsrs": func(w wiring) (hw.Sited, error) {
			return hw.NewLFSRs(bank, []uint32{1, 2, 3, 4, 5}, w.signal("enable", 1))
		},
	}
	const ports = 4
	builds["list allocators"] = func(w wiring) (hw.Sited, error) {
		return hw.NewListAllocators(hw.ListAllocatorConfig{
			Bank: bank, Ports: ports, Rule: hw.ListRule{RoundRobin: true, Cap: 3}, Start: w.signal("start", 1),
			Request: w.side("request", 1), Tag: w.side("tag", 16), Listen: w.side("listen", 1), Filter: w.side("filter", 1),
			FilterTag: w.side("filter_tag", 16), Lists: w.lists(6),
		})
	}
	builds["cap arbiters"] = func(w wiring) (hw.Sited, error) {
		return hw.NewCapArbiters(hw.CapArbiterConfig{
			Bank: bank, Ports: ports, Rule: hw.CapRule{Kind: hw.ArbiterMatrix, Cap: 2}, Start: w.signal("start", 1),
			Request: w.side("request", 1), Tag: w.side("tag", 16),
		})
	}
	builds["media"] = func(w wiring) (hw.Sited, error) {
		return hw.NewContentions(hw.ContentionConfig{
			Bank: bank, Ports: ports, Start: w.signal("start", 1), Request: w.side("request", 1), Addressee: w.side("addressee", 2),
			Tag: w.side("tag", 16), Transmit: w.side("transmit", 1), Listen: w.side("listen", 1), Filter: w.side("filter", 1),
			FilterTag: w.side("filter_tag", 16),
		})
	}
	builds["coins"] = func(w wiring) (hw.Sited, error) {
		return hw.NewCoins(hw.CoinConfig{
			Bank: bank, Inputs: 5, Stream: hw.NewStream(3, hw.PurposeCoin), Processors: []uint32{9, 8, 7, 6, 5},
			Start: w.common("start", 1), Slot: w.common("slot", 32), Count: w.common("count", 3), Toss: w.signal("toss", 1),
		})
	}
	for _, kind := range hw.ArbiterKinds() {
		builds[kind.String()] = func(w wiring) (hw.Sited, error) {
			c := hw.ArbiterConfig{Bank: bank, Kind: kind, Request: w.lines(100)}
			if kind.Spec().Slices {
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
				signals := func(elements int) func(name string, bits int) *hw.Signal {
					return func(name string, bits int) *hw.Signal {
						s, err := hw.NewSignal(hw.Bank{Name: "noise", Units: 1, PerUnit: elements}, name, bits)
						require.NoError(t, err)
						source.signals = append(source.signals, s)
						return s
					}
				}
				model, err := build(wiring{
					signal: signals(5), side: signals(5 * ports), common: signals(1),
					lines: func(requesters int) *hw.Requests {
						l, err := hw.NewRequests(bank, "request", requesters, hw.Shards(1, 1))
						require.NoError(t, err)
						source.lines = append(source.lines, l)
						return l
					},
					lists: func(length int) *hw.Lists {
						l, err := hw.NewLists(bank, "lists", length)
						require.NoError(t, err)
						source.lists = append(source.lists, l)
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
