package plant

import (
	"maps"
	"slices"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// New builds the hardware of a network. rtl, unless nil, replaces parts of it.
func New(n fabric.Network, c *fabric.Config, workers *hw.Workers, rtl RTL) (*Plant, error) {
	t, err := Lay(n, c, hw.NewKernel(workers, c.Shards))
	if err != nil {
		return nil, err
	}
	run := slices.Clone(t.unsited)
	for _, part := range t.sited {
		run = append(run, part)
	}
	if rtl != nil {
		t.rtl, t.sums = rtl, newSentSums(t.shape.Processors(), t.lanes)
		var whole hw.Sited
		if d := t.Whole(n); d != nil && t.tap == nil {
			whole = d
		}
		var all bool
		if run, all, err = rtl.Replace(t.kernel, t.sited, t.media.Composites, whole); err != nil {
			return nil, err
		}
		run = append(run, t.unsited...)
		if all {
			t.datapath = whole.(*Datapath)
		}
	}
	t.kernel.Add(run...)
	if err := t.kernel.Build(); err != nil {
		return nil, err
	}
	t.kernel.BeforeCycle0()
	return t, nil
}

// Lay builds a plant, but does not add its components to the kernel.
func Lay(n fabric.Network, c *fabric.Config, kernel *hw.Kernel) (*Plant, error) {
	if err := fabric.CheckWiring(n); err != nil {
		return nil, err
	}
	shape := n.Shape()
	t := &Plant{kernel: kernel, Front: Front{
		site: site{
			kind: n.Kind(), names: n.Names(), seed: c.Seed, bankOf: c.Bank, shape: shape, lanes: shape.Lanes(),
			timing: c.Timing, payload: c.PayloadBytes, cuts: c.Shards,
		},
		clock: kernel.Clock(), workers: kernel.Workers(), faults: c.Faults, shards: make([]plantShard, len(c.Shards)),
		seen: seenMedia{met: make([]uint32, shape.Media), marks: make([]uint8, shape.Media)},
	}}
	for i := range t.shards {
		t.shards[i] = plantShard{
			Shard: c.Shards[i],
			wire:  make([]byte, nic.FrameBytes(t.payload)),
			view:  make(nic.FrameView, nic.FrameStride(t.payload)),
		}
	}
	processors := t.shape.Processors()
	t.sent = make([]uint16, processors*t.lanes)
	t.silence(0, len(t.sent))
	var err error
	t.blocks = n.Abilities().Blocks
	if t.access, err = accessOf(t.shape.Chosen(), &t.Front); err != nil {
		return nil, err
	}
	if t.serialisers, err = nic.NewSerialisers(nic.SerialiserConfig{
		Bank: t.nics("tx"), Clock: t.clock, Shards: t.cuts, PhitBits: t.timing.PhitBits,
		FrameBytesMax: nic.FrameBytes(t.payload), ComputeCycles: t.timing.ComputeCycles, Ports: t.access.Outputs(),
		ArbitrationCycles: t.timing.ArbitrationCycles,
		OfferCycles:       (t.timing.Frames - 1) * t.timing.FramePhits, Processors: processors,
	}); err != nil {
		return nil, err
	}
	if t.credits, err = flow.CreditsOf(n, t.cuts); err != nil {
		return nil, err
	}
	if err := n.Build(t); err != nil {
		return nil, err
	}
	t.frames = nic.Foreseen{
		Transmitters: t.serialisers, Links: t.media.Links, Lit: make([]uint32, t.shape.Media+1),
		Carries: make([]uint32, t.shape.Media+1), GoesOn: make([]bool, processors*t.lanes),
		Wires: make([][]uint32, len(t.cuts)),
	}
	return t, nil
}

func (t *Plant) Light(bank hw.Bank, readers []uint32) (*hw.Light, error) {
	return hw.NewLight(bank, "light", t.timing.PhitBits, t.cuts, readers)
}

// Carry sets the media and builds the receivers of all NICs.
func (t *Plant) Carry(m fabric.Media) (err error) {
	t.media = m
	in := m.Far
	if t.faults != nil && t.faults.On(true) {
		if t.tap, in, err = hw.NewLightTap(t.clock, m.Far, t.timing.SlotCycles(), t.harm); err != nil {
			return err
		}
	}
	t.deserialisers, err = nic.NewDeserialisers(nic.DeserialiserConfig{
		Bank: t.nics("rx"), Clock: t.clock, Shards: t.cuts, PhitBits: t.timing.PhitBits,
		FrameBytesMax: nic.FrameBytes(t.payload), In: in, Hears: m.Hears, Taps: t.shape.NIC().Taps, Queues: t.queues(),
		Misses: t.misses(),
	})
	t.list()
	return err
}

// list separates components that RTL can replace from other components. Components that queue several frames per slot
// have no twin.
func (t *Plant) list() {
	t.sited, t.unsited = []hw.Sited{t.media.Links}, nil
	if sited, ok := t.media.Medium.(hw.Sited); ok {
		t.sited = []hw.Sited{sited, t.media.Links}
	} else {
		t.unsited = []hw.Component{t.media.Medium}
	}
	if t.credits != nil {
		for _, bank := range t.credits.Counters {
			t.sited = append(t.sited, bank)
		}
	}
	parts := []hw.Component{t.serialisers, t.deserialisers}
	if t.tap != nil {
		parts = append(parts, t.tap)
	}
	for _, part := range append(parts, t.media.Parts...) {
		if sited, ok := part.(hw.Sited); ok && !(t.queues() && queueing(part)) {
			t.sited = append(t.sited, sited)
		} else {
			t.unsited = append(t.unsited, part)
		}
	}
}

func queueing(part hw.Component) bool {
	switch part.(type) {
	case *nic.Serialisers, *nic.Deserialisers, *hw.Filters:
		return true
	}
	return false
}

func (t *Plant) harm(medium, slot uint32) hw.Harm {
	switch effect, number := t.faults.OnMedium(int(medium), slot); effect {
	case fabric.Dark:
		return hw.Harm{Dark: true}
	case fabric.Flipped:
		return hw.Harm{Flips: true, Bit: uint16(t.faults.Bit(number, int(medium), slot))}
	}
	return hw.Harm{}
}

// misses returns a function for the receivers that miss a medium in the slot that begins or crosses; nil for none.
func (t *Plant) misses() func(receiver int, medium uint32) bool {
	if t.faults == nil || !t.faults.Misses() {
		return nil
	}
	return func(receiver int, medium uint32) bool {
		slot := uint32((t.clock.Cycle() + 1) / uint64(t.timing.SlotCycles()))
		_, missed := t.faults.MissedBy(receiver, int(medium), slot)
		return missed
	}
}

// Components returns the components that RTL can replace.
func (t *Plant) Components() []hw.Sited { return t.sited }

// Others returns the components without a Verilog twin.
func (t *Plant) Others() []hw.Component { return t.unsited }

// Whole returns all hardware of a plant as one component, or nil if the network has no twin or several kinds of
// media.
func (t *Plant) Whole(n fabric.Network) *Datapath {
	twin, size := fabric.TwinOf(n)
	medium, ok := t.media.Medium.(sitedMedium)
	if twin == nil || !ok {
		return nil
	}
	parameters := map[string]int{
		"PHIT_BITS": t.timing.PhitBits, "FRAME_BYTES_MAX": nic.FrameBytes(t.payload),
		"COMPUTE_CYCLES": t.timing.ComputeCycles, "PROPAGATION_CYCLES": t.timing.PropagationCycles,
		"GUARD_CYCLES": t.timing.GuardCycles,
	}
	maps.Copy(parameters, size)
	return &Datapath{
		path: n.Kind(), twin: twin.Name, parameters: parameters, timing: t.timing, clock: t.clock,
		serialisers: t.serialisers, medium: medium, links: t.media.Links, far: t.media.Far, deserialisers: t.deserialisers,
		seen: make([]uint32, t.shape.Media),
	}
}
