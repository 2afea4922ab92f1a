// Package gossiptest is a reference for tests. It runs gossip exactly as specified, without hardware and firmware.
// Its two implementations have only the table in common.
package gossiptest

import "starloom/fabric/crossbar/gossip"

// Scheduling is the reaction of a sender whose addressee cannot receive.
type Scheduling int

const (
	NoScheduling    Scheduling = 0 // waits
	Algorithm2      Scheduling = 2 // tries the addressee at the cursor, then the first remaining addressee
	Algorithm2Prime Scheduling = 3 // sends to the first remaining addressee that can receive, without a cursor
)

// Setting describes a run.
type Setting struct {
	Orders     gossip.Orders
	Scheduling Scheduling
	Sessions   int // consecutive sessions; 0: one
	Cap        int // maximum number of messages per step; 0 for no limit
}

// Length returns the number of steps of a run.
func Length(s Setting) int { return Step(s).Columns() }

// Step simulates a run step by step. It samples all stages at the beginning of a step. Then senders act in ascending
// order of session and id, so that the lowest sender wins.
func Step(s Setting) *gossip.Table {
	r := newRun(s)
	for column := uint32(0); !r.finished(); column++ {
		r.step(column)
	}
	return r.table
}

// run is the state of Step.
type run struct {
	Setting
	table      *gossip.Table
	processors []processor
	messages   []message // messages of the step
}

type processor struct {
	session        int // session of the processor; after the last session, the number of sessions
	received, sent int // numbers of messages in this session
	used           []bool
	sending        bool // the processor was in stage B at the beginning of the step
	taken          bool // a sender has claimed the processor in this step
}

type message struct{ from, to int }

func newRun(s Setting) *run {
	s.Sessions = max(s.Sessions, 1)
	r := &run{Setting: s, table: gossip.NewTable(len(s.Orders)), processors: make([]processor, len(s.Orders))}
	for i := range r.processors {
		r.processors[i].used = make([]bool, s.Orders.N())
	}
	return r
}

func (r *run) finished() bool { return r.earliest() == r.Sessions }

// earliest returns the lowest current session.
func (r *run) earliest() int {
	session := r.Sessions
	for i := range r.processors {
		session = min(session, r.processors[i].session)
	}
	return session
}

func (r *run) step(column uint32) {
	for i := range r.processors {
		p := &r.processors[i]
		p.sending = p.session < r.Sessions && p.received >= i && p.sent < r.Orders.N()
		p.taken = false
	}
	r.messages = r.messages[:0]
	first := r.earliest()
	for session := first; session <= first+1; session++ { // no processor is two sessions ahead
		for i := range r.processors {
			if p := &r.processors[i]; p.sending && p.session == session {
				r.act(i, column)
			}
		}
	}
	for _, m := range r.messages {
		r.processors[m.from].sent++
		r.processors[m.to].received++
	}
	for i := range r.processors {
		if p := &r.processors[i]; p.sent == r.Orders.N() && p.received == r.Orders.N() {
			p.session++
			p.sent, p.received = 0, 0
			clear(p.used)
		}
	}
}

// act makes processor i send, or marks the processor as blocked.
func (r *run) act(i int, column uint32) {
	position := -1
	if r.Cap == 0 || len(r.messages) < r.Cap {
		position = r.choose(i)
	}
	if position < 0 {
		r.table.Add(i, column, gossip.Cell{Action: gossip.Blocked})
		return
	}
	to := int(r.Orders[i][position])
	r.processors[i].used[position] = true
	r.processors[to].taken = true
	r.messages = append(r.messages, message{i, to})
	r.table.Add(i, column, gossip.Cell{Action: gossip.Sent, Peer: uint32(to)})
	r.table.Add(to, column, gossip.Cell{Action: gossip.Received, Peer: uint32(i)})
}

// choose returns the position, in the order of processor i, of the next addressee, or -1.
func (r *run) choose(i int) int {
	cursor := r.processors[i].sent
	if r.Scheduling != Algorithm2Prime && r.free(i, cursor) {
		return cursor
	}
	if r.Scheduling == NoScheduling {
		return -1
	}
	for position := range r.Orders[i] {
		if r.free(i, position) {
			return position
		}
	}
	return -1
}

// free reports whether a position of the order of processor i is unused, and its processor is in stage A or C of the
// same session and not taken.
func (r *run) free(i, position int) bool {
	p, to := &r.processors[i], &r.processors[r.Orders[i][position]]
	return !p.used[position] && !to.sending && !to.taken && to.session == p.session
}
