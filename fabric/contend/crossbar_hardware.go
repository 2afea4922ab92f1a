package contend

import (
	"starloom/fabric"
	"starloom/hw"
)

// Part returns the crossbar as a part of the cycle engine.
//
//	head   asks --> filters --> arbiters of the outputs [--> cap arbiter] --grants--+
//	list   asks --> allocator <--> request lists ------------------------- grants --+
//	none   asks --> contention <--> coins -------------------------------- heads ---+
//	       light ------------------------------------------------------> crosspoints --> outputs (couplers) --> links
//
// The transmitters send requests in the arbitration cycles of a slot. Grants hold from the cycle of the first phit to
// the end of the frames. The filters of queues count frames.
func (x Crossbar) Part(plant fabric.Plant, from Senders) (*Part, error) {
	b := builder{Crossbar: x, plant: plant, from: from, err: x.check()}
	if b.err != nil {
		return nil, b.err
	}
	switch {
	case x.NoArbiter:
		b.contend()
	case x.List:
		b.allocate()
	default:
		b.arbitrate()
	}
	b.pass()
	return &b.part, b.err
}

// Build makes the crossbar the media of a plant. delays are the delays of the crossbar's links in cycles; nil selects
// the plant's delay for all links.
func (x Crossbar) Build(plant fabric.Plant, delays []uint16) error {
	part, err := x.Part(plant, SendersOf(plant))
	if err != nil {
		return err
	}
	hears := hw.Gather{Inputs: x.Media()}
	for i := range hears.Inputs {
		hears.Wires = append(hears.Wires, uint32(i))
	}
	links := x.media()
	links.Part = "link"
	return part.Carry(plant, links, delays, hears)
}

type builder struct {
	Crossbar
	from  Senders
	plant fabric.Plant
	err   error

	part        Part
	busy, index *hw.Signal // busy is 1 if an output serves an input; index is the number of this input
	allow       *hw.Signal // by input: 1 if the cap permits the input to send; nil permits all inputs
}

func must[T any](b *builder) func(value T, err error) T {
	return func(value T, err error) T {
		if b.err == nil {
			b.err = err
		}
		return value
	}
}

func (b *builder) inputs(part string) hw.Bank  { return b.bank("input", part, b.Ports) }
func (b *builder) outputs(part string) hw.Bank { return b.bank("output", part, b.Ports) }

func (b *builder) arbitrate() {
	lines := must[*hw.Requests](b)(hw.NewRequests(b.outputs("arbiter"), "request", b.Ports, b.plant.Shards()))
	if b.err != nil {
		return
	}
	filters := must[*hw.Filters](b)(hw.NewFilters(b.outputs("filter"), b.from.Asks, lines))
	if b.err != nil {
		return
	}
	arbiters, reseed, err := b.arbiters().hardware(b.outputs("arbiter"), lines, 0, b.plant.Seed())
	if err != nil {
		b.err = err
		return
	}
	b.part.Reseed = reseed
	b.busy, b.index = arbiters.Busy(), arbiters.Index()
	b.part.Filters, b.part.Parts = filters, []hw.Component{filters, arbiters}
	if b.Queue > 1 {
		filters.Limit(b.Queue, b.busy, b.index)
	} else if b.Arbiter.Spec().Whole {
		b.part.Composites = []hw.Composite{hw.NewOutputPorts(filters, arbiters)}
	}
	if b.Cap == 0 {
		return
	}
	bank := b.bank("cap", "", 1)
	ports := must[*askPorts](b)(b.askPorts(bank, 1))
	if b.err != nil {
		return
	}
	ports.busy, ports.index = b.busy, b.index
	arbiter := must[*hw.CapArbiters](b)(hw.NewCapArbiters(hw.CapArbiterConfig{
		Bank: bank, Ports: b.Ports, Rule: b.capRule(), Start: ports.start, Request: ports.request, Tag: ports.tag,
	}))
	if b.err != nil {
		return
	}
	b.allow = arbiter.Grant()
	b.part.Parts = append(b.part.Parts, ports, arbiter)
}

func (b *builder) allocate() {
	bank := b.bank("allocator", "", 1)
	ports := must[*askPorts](b)(b.askPorts(bank, 0))
	lists := must[*hw.Lists](b)(hw.NewLists(bank, "lists", max(1, b.Ports-1)))
	if b.err != nil {
		return
	}
	allocator := must[*hw.ListAllocators](b)(hw.NewListAllocators(hw.ListAllocatorConfig{
		Bank: bank, Ports: b.Ports, Rule: b.listRule(), Start: ports.start, Request: ports.request, Tag: ports.tag,
		Listen: ports.listen, Filter: ports.filter, FilterTag: ports.filterTag, Lists: lists,
	}))
	if b.err != nil {
		return
	}
	memory := &listMemory{path: bank.Path() + ".memory", turn: allocator.Turn(), input: allocator.Input(),
		lists: lists, bank: b.plant.BankOf}
	b.busy, b.index = allocator.Claimed(), allocator.Source()
	b.part.Filters, b.part.Parts = ports, []hw.Component{ports, memory, allocator}
}

func (b *builder) askPorts(component hw.Bank, after uint8) (*askPorts, error) {
	return newAskPorts(component, b.inputs(""), b.outputs(""), b.from.Asks, after, b.plant.Clock(),
		b.plant.Timing().SlotCycles())
}

func (b *builder) contend() {
	bank := b.bank("medium", "", 1)
	ports := must[*askPorts](b)(b.askPorts(bank, 0))
	transmit := must[*hw.Signal](b)(hw.NewSignal(b.inputs("coin"), "transmit", 1))
	if b.err != nil {
		return
	}
	contention := must[*hw.Contentions](b)(hw.NewContentions(hw.ContentionConfig{
		Bank: b.bank("medium", "contention", 1), Ports: b.Ports, Start: ports.start,
		Request: ports.request, Transmit: transmit,
		Addressee: ports.addressee, Tag: ports.tag, Listen: ports.listen, Filter: ports.filter, FilterTag: ports.filterTag,
	}))
	if b.err != nil {
		return
	}
	processors := make([]uint32, b.Ports)
	for i := range processors {
		processors[i] = uint32(i)
	}
	coins := must[*hw.Coins](b)(hw.NewCoins(hw.CoinConfig{
		Bank: b.inputs("coin"), Inputs: b.Ports, Stream: hw.NewStream(b.plant.Seed(), hw.PurposeCoin), Processors: processors,
		Start: ports.start, Slot: ports.slot, Count: contention.Count(), Toss: ports.toss,
	}))
	if b.err != nil {
		return
	}
	gate := &coinGate{
		path: b.inputs("coin").Path() + ".gate", asks: b.from.Asks, start: ports.start,
		contends: contention.Contends(), heads: coins.Heads(), transmit: transmit,
	}
	b.allow = transmit
	b.part.Filters, b.part.Parts = ports, []hw.Component{ports, contention, coins, gate}
	b.part.Collided = func(processor int) bool { return contention.Collided().Value[processor] != 0 }
	b.part.Reseed = func(seed uint64) { coins.Reseed(hw.NewStream(seed, hw.PurposeCoin)) }
}

func (b *builder) pass() {
	if b.err != nil {
		return
	}
	light := must[*hw.Light](b)
	gated, near := light(b.plant.Light(b.inputs(""), nil)), light(b.plant.Light(b.media(), nil))
	if b.err != nil {
		return
	}
	crosspoints := must[*hw.Crosspoints](b)(hw.NewCrosspoints(hw.CrosspointConfig{
		In: b.from.Light, Asks: b.from.Asks, Busy: b.busy, Index: b.index, Allow: b.allow, Out: gated,
	}))
	if b.err != nil {
		return
	}
	b.part.Near, b.part.To = near, crosspoints.To()
	b.part.Medium = must[*hw.StarCouplers](b)(hw.NewStarCouplers(gated, crosspoints.To(), near,
		make([]uint32, b.Ports), b.Media()))
	b.part.Parts = append(b.part.Parts, crosspoints)
}
