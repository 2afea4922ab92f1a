package crossbar

import (
	"starloom/fabric"
	"starloom/hw"
)

// Build implements fabric.Network.
//
//	head   asks --> filters --> arbiters of the outputs [--> cap arbiter] --grants--+
//	list   asks --> allocator <--> request lists ------------------------- grants --+
//	aloha  asks --> contention <--> coins -------------------------------- heads ---+
//	       light ------------------------------------------------------> crosspoints --> outputs (couplers) --> links
//
// The transmitters ask in the arbitration cycles of a slot; in the cycle of the first phit the
// grants stand, and they do so to the end of the frames. The filters of queues count frames.
func (x Network) Build(plant *fabric.Plant) error {
	x = x.settled()
	b := builder{Network: x, plant: plant, asks: plant.Transmitters().Asks()}
	switch {
	case x.Medium == MediumALOHA:
		b.contend()
	case x.Matching == MatchList:
		b.allocate()
	default:
		b.arbitrate()
	}
	b.carry()
	return b.err
}

// builder is a crossbar while it is built; nothing is done after the first error.
type builder struct {
	Network
	plant *fabric.Plant
	asks  *hw.Asks
	err   error

	media       fabric.Media
	busy, index *hw.Signal // by output: whether it serves an input, and which
	allow       *hw.Signal // by input: whether the cap lets it send; nil for all
}

// must notes the first error.
func must[T any](b *builder) func(value T, err error) T {
	return func(value T, err error) T {
		if b.err == nil {
			b.err = err
		}
		return value
	}
}

func (b *builder) inputs(part string) hw.Bank  { return b.plant.Bank("input", part, b.Ports) }
func (b *builder) outputs(part string) hw.Bank { return b.plant.Bank("output", part, b.Ports) }

// arbitrate gives every output an arbiter, and all of them one more for a cap.
func (b *builder) arbitrate() {
	lines := must[*hw.Requests](b)(hw.NewRequests(b.outputs("arbiter"), "request", b.Ports, b.plant.Shards()))
	if b.err != nil {
		return
	}
	filters := must[*hw.Filters](b)(hw.NewFilters(b.outputs("filter"), b.asks, lines))
	arbiters := must[*hw.Arbiters](b)(hw.NewArbiters(hw.ArbiterConfig{Bank: b.outputs("arbiter"), Kind: kindOf(b.Arbiter), Request: lines}))
	if b.err != nil {
		return
	}
	b.busy, b.index = arbiters.Busy(), arbiters.Index()
	b.media.Filters, b.media.Parts = filters, []hw.Component{filters, arbiters}
	if b.QueueFrames > 1 {
		filters.Limit(b.QueueFrames, b.busy, b.index)
	} else {
		b.media.Composites = []hw.Composite{hw.NewOutputPorts(filters, arbiters)}
	}
	if b.Cap == 0 {
		return
	}
	bank := b.plant.Bank("cap", "", 1)
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
	b.media.Parts = append(b.media.Parts, ports, arbiter)
}

// allocate gives all inputs and outputs one allocator.
func (b *builder) allocate() {
	bank := b.plant.Bank("allocator", "", 1)
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
	memory := &listMemory{path: bank.Path() + ".memory", turn: allocator.Turn(), input: allocator.Input(), lists: lists, bank: b.plant.BankOf}
	b.busy, b.index = allocator.Claimed(), allocator.Source()
	b.media.Filters, b.media.Parts = ports, []hw.Component{ports, memory, allocator}
}

// askPorts are those of one component.
func (b *builder) askPorts(component hw.Bank, after uint8) (*askPorts, error) {
	return newAskPorts(component, b.inputs(""), b.outputs(""), b.asks, after, b.plant.Clock(), b.plant.Timing().SlotCycles())
}

// contend gives all inputs a medium without an arbiter, and a coin.
func (b *builder) contend() {
	bank := b.plant.Bank("medium", "", 1)
	ports := must[*askPorts](b)(b.askPorts(bank, 0))
	transmit := must[*hw.Signal](b)(hw.NewSignal(b.inputs("coin"), "transmit", 1))
	if b.err != nil {
		return
	}
	contention := must[*hw.Contentions](b)(hw.NewContentions(hw.ContentionConfig{
		Bank: b.plant.Bank("medium", "contention", 1), Ports: b.Ports, Start: ports.start, Request: ports.request, Transmit: transmit,
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
		path: b.inputs("coin").Path() + ".gate", asks: b.asks, start: ports.start,
		contends: contention.Contends(), heads: coins.Heads(), transmit: transmit,
	}
	b.allow = transmit
	b.media.Filters, b.media.Parts = ports, []hw.Component{ports, contention, coins, gate}
	b.media.Collided = func(processor int) bool { return contention.Collided().Value[processor] != 0 }
	b.media.Reseed = func(seed uint64) { coins.Reseed(hw.NewStream(seed, hw.PurposeCoin)) }
}

// carry puts crosspoints, outputs and links after the grants.
func (b *builder) carry() {
	if b.err != nil {
		return
	}
	n, tx := b.Ports, b.plant.Transmitters()
	light := must[*hw.Light](b)
	gated := light(b.plant.Light("input", "", n, nil))
	if b.err != nil {
		return
	}
	crosspoints := must[*hw.Crosspoints](b)(hw.NewCrosspoints(hw.CrosspointConfig{
		In: tx.Light(), Asks: b.asks, Busy: b.busy, Index: b.index, Allow: b.allow, Out: gated,
	}))
	media := b.Shape().Media
	b.media.Hears = hw.Gather{Inputs: media}
	for i := range media {
		b.media.Hears.Wires = append(b.media.Hears.Wires, uint32(i))
	}
	medium, _ := b.Names().MediumNoun()
	readers := must[[]uint32](b)(b.media.Hears.Readers(media))
	near, far := light(b.plant.Light(medium, "", media, nil)), light(b.plant.Light(medium, "link", media, readers))
	if b.err != nil {
		return
	}
	tx.Await(crosspoints.To())
	b.media.Far = far
	b.media.Medium = must[*hw.StarCouplers](b)(hw.NewStarCouplers(gated, crosspoints.To(), near, make([]uint32, n), media))
	b.media.Links = must[*hw.Fibre](b)(hw.NewFibre(far.Bank().Path(), b.plant.Clock(), near, far, b.plant.Timing().PropagationCycles))
	b.media.Parts = append(b.media.Parts, crosspoints)
	if b.err == nil {
		b.err = b.plant.Carry(b.media)
	}
}
