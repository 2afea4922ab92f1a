// Package gossiptest runs gossip by the letter of its specification, without hardware and
// firmware, for tests to compare with. The two references share nothing but the table.
package gossiptest

import "starloom/fabric/crossbar/gossip"

// Scheduling is what a sender does whose addressee cannot receive.
type Scheduling int

const (
	NoScheduling    Scheduling = 0 // waits
	Algorithm2      Scheduling = 2 // tries its cursor's addressee, then the first one left
	Algorithm2Prime Scheduling = 3 // takes the first one left that can receive, without a cursor
)

// Setting is a run.
type Setting struct {
	Orders     gossip.Orders
	Scheduling Scheduling
	Sessions   int // in a row; 0: one
	Cap        int // messages per step at most; 0: no limit
}

// Length is the number of steps of a run.
func Length(s Setting) int { return Step(s).Columns() }

// Step runs step by step. All stages are sampled at the beginning of a step; then senders
// act in ascending order of session and id, so that the lowest wins.
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
	messages   []message // of the step
}

type processor struct {
	session        int // the one it takes part in; all of them: finished
	received, sent int // in this session
	used           []bool
	sending        bool // in stage B at the beginning of the step
	taken          bool // claimed by a sender in this step
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

// earliest is the lowest session that a processor takes part in.
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

// act lets processor i send, or be blocked.
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

// choose is the position in the order of processor i to which it sends now, or -1.
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

// free reports whether a position of the order of processor i is unused, and its processor
// in stage A or C of the same session and not yet taken.
func (r *run) free(i, position int) bool {
	p, to := &r.processors[i], &r.processors[r.Orders[i][position]]
	return !p.used[position] && !to.sending && !to.taken && to.session == p.session
}
