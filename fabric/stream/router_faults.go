package stream

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// RouterFaults applies faults to channels and routers, with or without firmware:
//
//	stuck        from the first cycle of a slot on, no flit and no credit arrives at the far end of a channel
//	dead         from then on a router is inactive and loses its inputs and its output registers
//	drop         a packet whose head arrives at the far end continues, and its sink drops it
//	bit_flip     its frame arrives with a wrong CRC
//	credit_loss  a credit is lost where it would count
//
// Each head and each credit has its own draw, by its cycle of arrival at the far end.
type RouterFaults struct {
	plan       *fabric.Faults
	network    *hw.RouterNetwork
	routers    *fabric.Routers
	names      fabric.Names
	processors int
	cycles     uint64 // cycles per slot

	flits, credits []vanishing // by channel: loss of flits, and of credits
	dead           []vanishing // by router: death of the router
	drawn          []int       // faults whose probability applies to each head
	lost           []int       // faults whose probability applies to each credit
	counts         [][]fabric.FaultCount
}

// vanishing is the cycle from which everything is lost, noCycle for never, and the fault that causes the loss, -1 for
// a dead router.
type vanishing struct {
	from  uint64
	fault int
}

const noCycle = math.MaxUint64

func (v *vanishing) after(cycles int) uint64 {
	if v.from > noCycle-uint64(cycles) {
		return noCycle
	}
	return v.from + uint64(cycles)
}

func (v *vanishing) sooner(from uint64, fault int) {
	if from < v.from {
		v.from, v.fault = from, fault
	}
}

// NewRouterFaults attaches faults to a network. shards is the number of its shards.
func NewRouterFaults(n fabric.Network, plan *fabric.Faults, network *hw.RouterNetwork, timing *nic.Timing,
	shards int) *RouterFaults {
	f := &RouterFaults{plan: plan, network: network, routers: fabric.RoutersOf(n), names: n.Names(),
		processors: n.Shape().Processors(),
		cycles:     uint64(timing.SlotCycles()), counts: make([][]fabric.FaultCount, shards)}
	channels := len(f.routers.Graph.Links) + 2*len(f.routers.Graph.Nodes)
	f.flits, f.credits, f.dead = make([]vanishing, channels), make([]vanishing, channels),
		make([]vanishing, len(f.routers.Graph.Ports))
	for i := range f.counts {
		f.counts[i] = make([]fabric.FaultCount, len(plan.All))
	}
	f.Begin()
	network.Suffer(f)
	return f
}

// Begin starts a run. Its faults and seed may differ from those of the previous run.
func (f *RouterFaults) Begin() {
	for _, list := range [][]vanishing{f.flits, f.credits, f.dead} {
		for i := range list {
			list[i] = vanishing{noCycle, -1}
		}
	}
	f.drawn, f.lost = f.drawn[:0], f.lost[:0]
	for i := range f.counts {
		clear(f.counts[i])
	}
	delay := f.routers.Config.CreditDelay
	for i := range f.plan.All {
		f.plant(i, delay)
	}
	for i, l := range f.routers.Graph.Links {
		from, to := &f.dead[l.From], &f.dead[l.To]
		f.flits[i].sooner(min(to.from, from.after(l.Latency)), -1)
		f.credits[i].sooner(min(from.from, to.after(l.Latency+delay)), -1)
	}
	for node, at := range f.routers.Graph.Nodes {
		source := f.routers.Graph.Source(node)
		out, dead, first := len(f.routers.Graph.Links)+2*node, &f.dead[at.Router], &f.dead[source.Router]
		f.flits[out].sooner(first.from, -1)
		f.credits[out].sooner(first.after(source.Latency), -1)
		f.flits[out+1].sooner(dead.after(at.Latency), -1)
		f.credits[out+1].sooner(dead.from, -1)
	}
	f.network.Strike()
}

func (f *RouterFaults) plant(number, delay int) {
	fault := &f.plan.All[number]
	if fault.Chance == 0 || !f.plan.Active(number) {
		return
	}
	from := uint64(fault.First()) * f.cycles
	switch fault.Kind {
	case fabric.FaultDead:
		for r := range f.dead {
			if fault.Targets.Has(f.processors + r) {
				f.dead[r].sooner(from, number)
			}
		}
	case fabric.FaultStuck:
		for channel := range f.flits {
			if fault.Targets.Has(f.routers.Media + channel) {
				f.flits[channel].sooner(from, number)
				f.credits[channel].sooner(from+uint64(delay), number)
			}
		}
	case fabric.FaultDrop, fabric.FaultFlip:
		f.drawn = append(f.drawn, number)
	case fabric.FaultCredit:
		f.lost = append(f.lost, number)
	}
}

func (f *RouterFaults) DeadFrom(router int) uint64 { return f.dead[router].from }

func (f *RouterFaults) LosesFlit(shard, channel int, cycle uint64, flit hw.Flit) bool {
	if v := &f.flits[channel]; cycle >= v.from {
		f.network.Packets.Harmed(flit.Packet(), hw.HarmCut)
		if v.fault >= 0 {
			f.note(shard, v.fault, f.routers.Media+channel, cycle)
		}
		return true
	}
	if flit.Head() {
		if s := f.plan.Script; s != nil {
			s.Lit.Add(f.routers.Media + channel)
		}
		for _, number := range f.drawn {
			if f.happens(number, channel, cycle) {
				f.note(shard, number, f.routers.Media+channel, cycle)
				f.harm(number, channel, cycle, flit.Packet())
			}
		}
	}
	return false
}

func (f *RouterFaults) harm(number, channel int, cycle uint64, packet uint32) {
	p := f.network.Packets
	switch {
	case f.plan.All[number].Kind == fabric.FaultDrop:
		p.Harmed(packet, hw.HarmDropped)
	case p.Harm[packet]&hw.HarmFlipped == 0:
		p.Harmed(packet, hw.HarmFlipped|uint32(f.plan.Bit(number, channel, uint32(cycle)))<<hw.HarmBits)
	}
}

func (f *RouterFaults) LosesCredit(shard, channel, _ int, cycle uint64) bool {
	if cycle >= f.credits[channel].from {
		return true
	}
	for _, number := range f.lost {
		if f.happens(number, channel, cycle) {
			f.note(shard, number, f.routers.Media+channel, cycle)
			return true
		}
	}
	return false
}

func (f *RouterFaults) happens(number, channel int, cycle uint64) bool {
	fault := &f.plan.All[number]
	if s := f.plan.Script; s != nil && number >= s.First {
		return s.Hit[number-s.First].Has(f.routers.Media + channel)
	}
	return fault.In(uint32(cycle/f.cycles)) && fault.Targets.Has(f.routers.Media+channel) &&
		f.plan.Draws(number, channel, uint32(cycle))
}

func (f *RouterFaults) note(shard, number, target int, cycle uint64) {
	f.counts[shard][number].Note(uint32(cycle/f.cycles), uint32(target))
}

// Take returns the effects of faults since the last call, and the deaths of routers in the slots from..to.
func (f *RouterFaults) Take(from, to uint32) []fabric.FaultCount {
	sum := make([]fabric.FaultCount, len(f.plan.All))
	for i := range f.counts {
		for k := range sum {
			sum[k].Merge(&f.counts[i][k])
		}
		clear(f.counts[i])
	}
	for r := range f.dead {
		if d := &f.dead[r]; d.from < noCycle {
			if slot := uint32(d.from / f.cycles); from <= slot && slot <= to {
				sum[d.fault].Note(slot, uint32(f.processors+r))
			}
		}
	}
	return sum
}

// State visits the effects that Take has not returned.
func (f *RouterFaults) State(v *hw.StateVisitor) {
	first := f.counts[0]
	for i := range f.counts[1:] {
		for k := range first {
			first[k].Merge(&f.counts[1+i][k])
		}
		clear(f.counts[1+i])
	}
	for k := range first {
		at := fmt.Sprintf("fault[%d]", k)
		hw.StateScalar(v, hw.Future, at+".count", &first[k].Count)
		hw.StateScalar(v, hw.Future, at+".slot", &first[k].Slot)
		hw.StateScalar(v, hw.Future, at+".index", &first[k].Index)
	}
}

// LosesCredits reports whether single credits may be lost.
func (f *RouterFaults) LosesCredits() bool { return len(f.lost) > 0 }

// LostCredits returns the virtual channels with missing credits, except at channels and routers killed by faults.
func (f *RouterFaults) LostCredits() (lost []hw.LostCredit) {
	if len(f.lost) == 0 {
		return nil
	}
	cycle := f.network.Sources.Cycle()
	for _, l := range f.network.LostCredits() {
		if f.flits[l.Channel].from > cycle && f.credits[l.Channel].from > cycle {
			lost = append(lost, l)
		}
	}
	return lost
}

// LostText describes missing credits.
func (f *RouterFaults) LostText(l *hw.LostCredit) string {
	return fmt.Sprintf("of the %d credits of VC %d, %s missing: at the sender, in flight and for flits in the "+
		"buffer there are only %d",
		f.routers.Config.Depth, l.VC, map[bool]string{true: "1 is", false: fmt.Sprintf("%d are", l.Missing)}[l.Missing == 1],
		f.routers.Config.Depth-l.Missing)
}

const standingShown = 4

// Standing describes blocked packets: their places and the cause of each wait. It returns "" for none. packet returns
// the name of a packet.
func Standing(names fabric.Names, stands []hw.Stand, packet func(number uint32) string) string {
	var said []string
	cause := func(s *hw.Stand) int { // causes first: packets that wait for something other than a packet
		return map[bool]int{false: 1}[s.By == hw.PacketPending]
	}
	slices.SortStableFunc(stands, func(a, b hw.Stand) int { return cause(&a) - cause(&b) })
	for i := range stands {
		if i == standingShown {
			said = append(said, fmt.Sprintf("and %d more", len(stands)-standingShown))
			break
		}
		s := &stands[i]
		where := names.Processor(max(s.Node, 0))
		if s.Node < 0 {
			where = fmt.Sprintf("%s VC %d", hw.Join(fabric.RouterPath(names, s.Router), hw.Index("input", s.Input)), s.VC)
		}
		said = append(said, fmt.Sprintf("%s is blocked in %s and %s", packet(s.Packet), where, waitText(names, s, packet)))
	}
	if len(said) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s", traces.Plural(uint64(len(stands)), "packet is blocked", "packets are blocked"),
		strings.Join(said, "; "))
}

func waitText(names fabric.Names, s *hw.Stand, packet func(number uint32) string) string {
	output := "a virtual channel of its router"
	if s.Node < 0 && s.Output >= 0 {
		output = hw.Join(fabric.RouterPath(names, s.Router), hw.Index("output", s.Output))
	}
	switch {
	case s.Wait == hw.WaitDead:
		return "cannot continue: a fault has killed the router"
	case s.Full >= 0:
		return fmt.Sprintf("is starved by processor %d, whose RX FIFO is full", s.Full)
	case s.Wait == hw.WaitRest && (s.By == hw.PacketPending || s.By == s.Packet):
		return "waits for its other flits, which " + map[bool]string{true: "are blocked too", false: "were " +
			"lost"}[s.By == s.Packet]
	case s.Wait == hw.WaitVC && s.By != hw.PacketPending:
		return fmt.Sprintf("waits for a virtual channel of %s, which %s holds", output, packet(s.By))
	case s.Wait == hw.WaitVC || s.Node >= 0 && s.By == hw.PacketPending:
		return fmt.Sprintf("waits for %s: its credits were lost", output)
	case s.By == hw.PacketPending:
		return fmt.Sprintf("waits for credits of %s VC %d, which were lost", output, s.OutputVC)
	case s.By == s.Packet:
		return "waits for its own blocked flits"
	case s.Node >= 0:
		return "waits for " + packet(s.By) + " before it"
	}
	return fmt.Sprintf("waits for the buffer after %s VC %d, which %s fills", output, s.OutputVC, packet(s.By))
}
