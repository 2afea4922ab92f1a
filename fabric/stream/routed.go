package stream

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/plant"
	"starloom/hw"
)

// routed is the hardware of a network of routers, with the faults of a run. The network may have firmware or not.
type routed struct {
	plant.Watched
	routers *fabric.Routers
	kernel  *hw.Kernel
	wires   *hw.RouterNetwork
	built   fabric.Network
	names   fabric.Names
	faults  *RouterFaults // nil for none
	rtl     plant.RTL     // nil without RTL

	missing    []uint32 // channel and VC of each missing credit found so far
	deadlocked uint8    // 1 if packets wait for each other forever
}

func (x *routed) build(n fabric.Network, c *fabric.Config, workers *hw.Workers, rtl plant.RTL,
	wire func(r *fabric.Routers, k *hw.Kernel) (*hw.RouterNetwork, []hw.Component, error),
) error {
	x.routers, x.built, x.names, x.rtl = fabric.RoutersOf(n), n, n.Names(), rtl
	if option := x.routers.Config.Beyond(); rtl != nil && option != "" {
		return fmt.Errorf("rtl: routers of the scenario have %s, which RTL in place of routers does not have; delete "+
			"rtl, or this key of router", option)
	}
	if sets := x.routers.Routes.Sets; rtl != nil && sets != nil && sets.Selects() {
		return fmt.Errorf("rtl: rules of routes pick, prefer or draw, which RTL in place of routers does not; delete rtl, " +
			"or choose, pick, priority and mid of the rules")
	}
	routers, perShard := len(x.routers.Graph.Ports), hw.RoutersPerShard
	if rtl != nil {
		perShard = routers
	}
	x.kernel = hw.NewKernel(workers, hw.Shards(routers, perShard))
	wires, components, err := wire(x.routers, x.kernel)
	if err != nil {
		return err
	}
	if x.wires = wires; rtl != nil {
		if components, err = plant.ReplaceRouters(rtl, x.kernel, wires.Routers, components); err != nil {
			return err
		}
	}
	x.kernel.Add(components...)
	if err := x.kernel.Build(); err != nil {
		return err
	}
	if c.Faults != nil {
		x.faults = NewRouterFaults(n, c.Faults, wires, &c.Timing, len(x.kernel.Shards()))
	}
	return nil
}

func (x *routed) failed() bool { return x.rtl != nil && x.rtl.Failed() }

func (x *routed) Clock() *hw.Clock { return x.kernel.Clock() }

func (x *routed) Probes(yield func(hw.Probe)) { x.kernel.Probes(yield) }

func (x *routed) signals(numbers hw.PacketNumbers) *hw.RouterSignals {
	return x.wires.Signals(func(node int) string { return fabric.NodePath(x.built, node) }, numbers)
}

func (x *routed) Network() *hw.RouterNetwork { return x.wires }

// Collisions implements fabric.Transport. Frames never collide in routers.
func (x *routed) Collisions(int, uint32, func(int, uint32)) (met, alone uint64) { return 0, 0 }

func (x *routed) Deadlocked() bool { return x.deadlocked != 0 }

func (x *routed) reset() {
	if x.kernel.Reset(); x.faults != nil {
		x.faults.Begin()
	}
	x.missing, x.deadlocked, x.WatchError = x.missing[:0], 0, nil
}

func (x *routed) Path() string { return "fabric" }

func (x *routed) state(v *hw.StateVisitor) {
	v.Within(x.kernel)
	hw.StateScalar(v, hw.Future, "deadlocked", &x.deadlocked, hw.AtMost(uint8(1)))
	if x.faults != nil {
		hw.StateList(v, hw.Future, "missing_credits", &x.missing)
		x.faults.State(v)
	}
}

// cyclesPerCredits is the maximum period of credit checks in cycles, if faults may lose credits.
const cyclesPerCredits = 1 << 10

// hearFaults adds the effects of faults in the slots from first to slot to a ledger. If looks is set, it also adds
// newly missing credits.
func (x *routed) hearFaults(ledger *fabric.Ledger, first, slot uint32, looks bool) {
	if x.faults == nil {
		return
	}
	for i, count := range x.faults.Take(first, slot) {
		ledger.FaultCounts[i].Merge(&count)
	}
	if looks {
		x.missingCredits(func(f fabric.Finding) {
			x.missing = append(x.missing, uint32(f.Index-x.routers.Media), f.Value)
			f.Slot = slot
			ledger.Find(f)
		})
	}
}

// missingCredits reports each virtual channel with missing credits once. With RTL it reports nothing.
func (x *routed) missingCredits(find func(fabric.Finding)) {
	if x.faults == nil || x.rtl != nil {
		return
	}
	for _, l := range x.faults.LostCredits() {
		known := false
		for i := 0; i < len(x.missing) && !known; i += 2 {
			known = x.missing[i] == uint32(l.Channel) && x.missing[i+1] == uint32(l.VC)
		}
		if !known {
			find(fabric.Finding{Kind: fabric.FindCredit, Index: x.routers.Media + l.Channel, Value: uint32(l.VC),
				Cycle: x.kernel.Cycle(), Text: x.faults.LostText(&l)})
		}
	}
}
