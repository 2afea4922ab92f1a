package crossbar

import (
	"fmt"

	"starloom/fabric"
	"starloom/fabric/crossbar/gossip"
	"starloom/fabric/referees"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces/input"
)

const ordersKey = "workload.gossip.orders"

func (x Network) orders(w *fabric.Gossip, seed uint64) (gossip.Orders, error) {
	N := x.Ports - 1
	switch {
	case N < 1:
		return nil,
			&input.Error{Place: "fabric.crossbar.ports", Reason: "gossip of one processor", Remedy: "give at least 2 ports"}
	case w == nil || w.Orders == "" && w.Given == nil:
		return gossip.Pipelined(N), nil
	case w.Given != nil:
		return w.Given, nil
	case w.FromFile():
		path := w.Path
		if path == "" {
			path = w.Orders
		}
		return gossip.ReadOrders(path, N)
	}
	orders, err := gossip.Named(w.Orders, N, seed)
	if refused, ok := err.(*input.Error); ok {
		refused.Place = ordersKey
	}
	return orders, err
}

// application is a program's use of gossip: the ROM words after the orders, and the interpretation of the results. It
// is a function of network, workload and seed.
type application interface {
	// draw makes all random choices from a seed. It is called before the other methods.
	draw(seed uint64)
	// words returns the number of words per processor after its order, and the number of words of the machine.
	words() (processor, machine int)
	processor(processor int, dst []uint32)
	machine(dst []uint32)
	// mute returns the reason why a processor never sends, "" if it sends.
	mute(processor int) string
	metrics(r *fabric.Results, m *fabric.Metrics)
	keeps() []string
	// judge applies the rules to results. The state of the rules summarises the earlier results.
	judge(r *fabric.Results, rules *fabric.Rules, given []fabric.Result, yield func(fabric.Finding))
	reset()
	state(v *hw.StateVisitor)
}

func (x Network) application(w *fabric.Gossip) (application, error) {
	switch _, blocks := x.params["neurons"]; {
	case x.program == hopfieldProgram, x.program == "" && blocks && w.Values != "":
		return newHopfield(x, w)
	case x.program == votingProgram, x.program == "" && (w.Values != "" || w.Vector != nil):
		return newVoting(x, w)
	case w.Values != "":
		return nil, &input.Error{
			Place: valuesKey, Reason: "the messages of this program carry no values",
			Remedy: "delete values, or run " + votingProgram + " or " + hopfieldProgram,
		}
	}
	return nil, onlyVoting(w)
}

func (x Network) rom(w *fabric.Workload, p *fabric.Program) (fabric.ROM, error) {
	g := w.Gossip
	if g == nil {
		return nil, nil
	}
	if p != nil && p.Name == optimalProgram {
		if g.Given != nil || g.Orders != "" && g.Orders != gossip.WordOptimal {
			return nil, &input.Error{Place: ordersKey, Reason: p.Name + " has orders of its own", Remedy: "delete orders, or " +
				"take the program " + fsaProgram}
		}
		own := *g
		own.Orders = gossip.WordOptimal
		g = &own
	}
	r := &gossipROM{net: x, gossip: g}
	var err error
	if g.Orders != gossip.WordSharedRandom || x.Ports < 2 { // other orders need a seed
		if r.orders, err = x.orders(g, 0); err != nil {
			return nil, err
		}
	}
	r.use, err = x.application(g)
	return r, err
}

// gossipROM holds the tables of a run; the seed determines random tables.
type gossipROM struct {
	net    Network
	gossip *fabric.Gossip
	use    application

	drawn  bool // the random tables were drawn from seed
	seed   uint64
	orders gossip.Orders
}

func (r *gossipROM) Words() (processor, machine int) {
	if r.use != nil {
		processor, machine = r.use.words()
	}
	return r.net.Ports - 1 + processor, machine
}

func (r *gossipROM) draw(seed uint64) {
	if r.drawn && seed == r.seed {
		return
	}
	if r.gossip.Orders == gossip.WordSharedRandom {
		r.orders = nil                             // large orders are not kept twice
		r.orders, _ = r.net.orders(r.gossip, seed) // the orders were checked when the machine was built
	}
	r.drawn, r.seed = true, seed
	if r.use != nil {
		r.use.draw(seed)
	}
}

func (r *gossipROM) Processor(processor int, seed uint64, dst []uint32) {
	r.draw(seed)
	if left := dst[copy(dst, r.orders[processor]):]; r.use != nil {
		r.use.processor(processor, left)
	}
}

func (r *gossipROM) Machine(seed uint64, dst []uint32) {
	r.draw(seed)
	if r.use != nil {
		r.use.machine(dst)
	}
}

// Referee implements fabric.Network. It returns a referee for gossip, for scattering, or for packets of other
// firmware.
func (x Network) Referee(w *fabric.Workload, _ *fabric.Program) fabric.Referee {
	if w.Scatter != nil {
		return newScatterReferee(x.Ports, w.Scatter)
	}
	if w.Gossip == nil {
		return referees.NewPackets(x.Ports)
	}
	r := &gossipReferee{ports: x.Ports, sessions: w.Gossip.Count(), words: (x.Ports + 63) / 64}
	r.first = make([]uint64, x.Ports*r.words)
	if r.sessions > 1 {
		r.further = make([]uint16, x.Ports*x.Ports)
	}
	if use, _ := x.application(w.Gossip); use != nil { // the workload was checked when the ROM was built
		return &appliedReferee{gossipReferee: r, use: use}
	}
	return r
}

type appliedReferee struct {
	*gossipReferee
	use     application
	results *fabric.Results
}

func (r *appliedReferee) Load(l *fabric.Load) error {
	r.results = l.Results
	r.use.draw(l.Seed)
	return r.gossipReferee.Load(l)
}

func (r *appliedReferee) Metrics(e *fabric.End, carries bool) fabric.Metrics {
	m := r.gossipReferee.Metrics(e, carries)
	r.use.metrics(r.results, &m)
	return m
}

// Keeps and Judge implement fabric.Judge.

func (r *appliedReferee) Keeps() []string { return r.use.keeps() }
func (r *appliedReferee) Judge(rules *fabric.Rules, given []fabric.Result, yield func(fabric.Finding)) {
	r.use.judge(r.results, rules, given, yield)
}

func (r *appliedReferee) Reset() {
	r.gossipReferee.Reset()
	r.use.reset()
}

func (r *appliedReferee) State(v *hw.StateVisitor) {
	r.gossipReferee.State(v)
	r.use.state(v)
}

// WaitsFor implements fabric.Waiter. A mute processor stays in its first session; its message is due after the
// messages of all lower ids.
func (r *appliedReferee) WaitsFor(processor int, frame nic.FrameView, listens func(processor int) bool) string {
	if why := r.use.mute(processor); why != "" && frame == nil {
		lower := 0
		for lower < processor && r.count(processor, lower) > 0 {
			lower++
		}
		if lower == processor {
			return why
		}
	}
	return r.gossipReferee.WaitsFor(processor, frame, listens)
}

// Missing implements fabric.Referee. It omits messages of mute processors.
func (r *appliedReferee) Missing(yield func(fabric.Finding) bool) {
	r.gossipReferee.Missing(func(f fabric.Finding) bool { return r.use.mute(int(f.Value)) != "" || yield(f) })
}

// gossipReferee counts messages: in each session every processor must receive a message from every other. The
// sender's NIC writes the source of a frame, so firmware cannot forge it. A step is a slot. The run ends with the
// last message.
type gossipReferee struct {
	fabric.NoPackets

	ports, sessions int
	words           int // words of first for each receiver
	// by receiver and sender: one bit for a received message; on large runs the bits must fit into the cache
	first   []uint64
	further []uint16 // by receiver and sender: messages after the first; nil for one session
	used    []uint32 // by step: number of processors that sent or received
	table   *gossip.Table
	filled  []uint32 // by processor: filled columns of the row, if there is a table
}

func (r *gossipReferee) Load(l *fabric.Load) error {
	r.table, r.filled = nil, nil
	if l.Table {
		r.table, r.filled = gossip.NewTable(r.ports), make([]uint32, r.ports)
	}
	return nil
}

// Tell implements fabric.Referee. It sets each word to the number of sessions.
func (r *gossipReferee) Tell(_ int, words []uint32) {
	for i := range words {
		words[i] = uint32(r.sessions)
	}
}

func (r *gossipReferee) Witness(bool) fabric.Witness { return r }

func (r *gossipReferee) Sent(_ *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	r.use(slot)
	r.cell(processor, slot, gossip.Cell{Action: gossip.Sent, Peer: frame.Destination()})
}

func (r *gossipReferee) Blocked(_ *fabric.Ledger, processor int, _ nic.FrameView, slot uint32) {
	r.cell(processor, slot, gossip.Cell{Action: gossip.Blocked})
}

// Received implements fabric.Witness. A message counts once in each session.
func (r *gossipReferee) Received(l *fabric.Ledger, processor int, frame nic.FrameView, slot uint32) {
	sender := frame.Source()
	r.use(slot)
	r.cell(processor, slot, gossip.Cell{Action: gossip.Received, Peer: sender})
	if frame.Kind() != nic.KindData {
		return
	}
	word, bit := &r.first[processor*r.words+int(sender>>6)], uint64(1)<<(sender&63)
	switch checked := l.Checks.ExactlyOnce; {
	case checked && int(sender) == processor:
		l.Find(fabric.Finding{Kind: fabric.FindMisrouted, Slot: slot, Index: processor, Value: sender})
	case *word&bit == 0:
		*word |= bit
	case r.count(processor, int(sender)) < r.sessions:
		r.further[processor*r.ports+int(sender)]++
	case checked:
		l.Find(fabric.Finding{Kind: fabric.FindDuplicate, Slot: slot, Index: processor, Value: sender})
	}
}

func (r *gossipReferee) count(receiver, sender int) int {
	count := int(r.first[receiver*r.words+sender>>6] >> (sender & 63) & 1)
	if r.further != nil {
		count += int(r.further[receiver*r.ports+sender])
	}
	return count
}

func (r *gossipReferee) use(slot uint32) {
	for int(slot) >= len(r.used) {
		r.used = append(r.used, 0)
	}
	r.used[slot]++
}

// cell records the action of a processor in a step. The first of simultaneous actions counts.
func (r *gossipReferee) cell(processor int, slot uint32, c gossip.Cell) {
	if r.table == nil || slot < r.filled[processor] {
		return
	}
	r.filled[processor] = slot + 1
	r.table.Add(processor, slot, c)
}

// Metrics implements fabric.Referee. It returns the metrics of the paper (Definitions 7 to 13), which are unknown
// before the run has finished, and the number of used processors in each step.
func (r *gossipReferee) Metrics(e *fabric.End, _ bool) (m fabric.Metrics) {
	nu := make([]int, len(r.used))
	for i, used := range r.used {
		nu[i] = int(used)
	}
	measured := gossip.Measure(r.ports, nu)
	m.AddKnown(e.Finished, "lambda", measured.Lambda)
	m.AddKnown(e.Finished, "mu", measured.Mu.String())
	m.AddKnown(e.Finished, "epsilon", measured.Epsilon.String())
	m.Add("utilisation", nu)
	return m
}

func (r *gossipReferee) RunTable(uint32) fabric.RunTable {
	if r.table == nil {
		return nil
	}
	return r.table
}

func (r *gossipReferee) Slots() int { return len(r.used) }

func (r *gossipReferee) Missing(yield func(fabric.Finding) bool) {
	someCame := func(f *fabric.Finding) string {
		return fmt.Sprintf("received %d of %d messages of processor %d", r.count(f.Index, int(f.Value)), r.sessions, f.Value)
	}
	for receiver := range r.ports {
		for sender := range r.ports {
			count := r.count(receiver, sender)
			if sender == receiver || count >= r.sessions {
				continue
			}
			f := fabric.Finding{Kind: fabric.FindMissing, Index: receiver, Value: uint32(sender)}
			if r.sessions > 1 {
				f.Write = someCame
			}
			if !yield(f) {
				return
			}
		}
	}
}

func (r *gossipReferee) session(processor int) (session, received int) {
	session = r.sessions
	for sender := range r.ports {
		if sender != processor {
			session = min(session, r.count(processor, sender))
		}
	}
	for sender := range r.ports {
		if sender != processor && r.count(processor, sender) > session {
			received++
		}
	}
	return session, received
}

// WaitsFor implements fabric.Waiter. A processor with a frame waits until the addressee listens or, if the addressee
// already listens, accepts the frame. A processor without a frame waits for messages: before it may send, for the
// messages of lower ids.
func (r *gossipReferee) WaitsFor(processor int, frame nic.FrameView, listens func(processor int) bool) string {
	if frame != nil {
		switch to := frame.Destination(); {
		case to == nic.ListedDestination:
			return "a remaining addressee of its list to accept its frame"
		case int(to) < r.ports && listens(int(to)):
			return fmt.Sprintf("processor %d, which listens, to accept its frame", to)
		default:
			return fmt.Sprintf("processor %d to listen", to)
		}
	}
	session, received := r.session(processor)
	var senders []int
	for sender := range r.ports {
		if sender != processor && r.count(processor, sender) <= session && (sender < processor || received >= processor) {
			senders = append(senders, sender)
		}
	}
	if len(senders) == 0 || session == r.sessions {
		return ""
	}
	return "messages of " + listOf("processor", senders)
}

func (r *gossipReferee) Announce(l *fabric.Ledger, processor int, origin, slot uint32) {
	has := int(origin) == processor || int(origin) < r.ports &&
		r.first[processor*r.words+int(origin>>6)]>>(origin&63)&1 != 0
	l.Claim(processor, origin, slot, has)
}

func (r *gossipReferee) Reset() {
	clear(r.first)
	clear(r.further)
	r.used = r.used[:0]
}

// State implements fabric.Referee. It omits the run-table.
func (r *gossipReferee) State(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "first", r.first)
	hw.StateColumn(v, hw.Future, "further", r.further, hw.AtMost(uint16(r.sessions-1)))
	hw.StateList(v, hw.Future, "used", &r.used)
}

func (x Network) workloadBytes(w *fabric.Workload, p *fabric.Program) (kept, roms uint64) {
	if w.Gossip == nil {
		return 0, 0
	}
	pairs := uint64(x.Ports) * uint64(x.Ports)
	kept = 4*pairs + pairs/8
	if w.Gossip.Count() > 1 {
		kept += 2 * pairs
	}
	if p != nil {
		roms = 4 * pairs
		if p.Name == votingProgram {
			roms += 8 * pairs // values of a module, one per voter
		}
	}
	return kept, roms
}

// gossipSlot is the number of bytes per slot for the counts of used processors, in the referee's growing list and in
// the report.
const gossipSlot = 20

func slotBytes(w *fabric.Workload) uint64 {
	if w.Gossip == nil {
		return 0
	}
	return gossipSlot
}
