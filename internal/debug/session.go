package debug

import (
	"bytes"
	"context"
	"errors"
	"net"
	"slices"

	"starloom/firmware/rv32"
	"starloom/internal/emulator"
)

// Session is a run whose time gdb holds. It is the firmware.Debugger of its machine.
type Session struct {
	processors []int // followed, in ascending order
	machine    *emulator.Machine
	conn       *connection // nil before gdb connects, and after it has left
	ctx        context.Context

	instant
	turns   []turn
	states  []state
	every   uint32 // slots between two states
	pending *hit   // a watchpoint of the last instruction

	goal    goal
	travel  *travel
	breaks  map[uint32]int // hardware breakpoints by address: number of requests
	watches []watch
	thread  int  // processor whose registers gdb reads
	resumed bool // gdb has let time go on
	killed  bool
}

// instant is a point of the run: before an instruction of a followed processor.
type instant struct {
	position uint64
	number   int // processor
	cpu      *rv32.Processor
}

// turn is a turn of a followed processor.
type turn struct {
	from   uint64 // position of its first instruction
	number int
	slot   uint32
}

// state is a saved machine before a slot.
type state struct {
	position uint64
	turns    int // number of turns so far
	slot     uint32
	data     []byte // nil for the machine at its start
}

// goal is what ends a resumed run.
type goal struct {
	step    int    // processor, -1 for none
	stepped bool   // the processor has executed an instruction
	slot    uint32 // slot; 0 for none
}

// New returns a session for some processors, in ascending order.
func New(processors []int) *Session {
	return &Session{processors: processors, breaks: map[uint32]int{}, every: statesEvery, goal: goal{step: -1}}
}

// Follows implements firmware.Debugger.
func (s *Session) Follows(number int) bool {
	_, found := slices.BinarySearch(s.processors, number)
	return found && !(s.conn == nil && s.travel == nil)
}

var (
	errTravel = errors.New("the debugger goes back in time")
	errPause  = errors.New("a state is due")
	errKilled = errors.New("the debugger has ended the run")
)

// Run waits for gdb, and runs the machine to its end. After gdb has left, the run goes on by itself.
func (s *Session) Run(ctx context.Context, m *emulator.Machine, listener net.Listener) error {
	s.machine, s.ctx = m, ctx
	conn, err := accept(ctx, listener)
	if err != nil {
		return err
	}
	defer conn.Close()
	s.conn = newConnection(conn)
	s.keepState(nil)
	s.goal = goal{step: s.processors[0], stepped: true}
	for !m.Ended() || s.travel != nil {
		err := m.Run(ctx, s.boundary)
		switch {
		case s.travel != nil:
			err = s.depart()
		case errors.Is(err, errPause):
			err = s.save()
		}
		if err != nil {
			return err
		}
	}
	if ctx.Err() == nil && !s.killed {
		s.sayEnd()
	}
	return nil
}

// accept waits for one connection and closes the listener.
func accept(ctx context.Context, listener net.Listener) (net.Conn, error) {
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	conn, err := listener.Accept()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return conn, errors.Join(err, listener.Close())
}

// boundary pauses the run to save a state.
func (s *Session) boundary() error {
	searching := s.travel != nil && s.travel.searching
	if s.conn != nil && !searching && s.machine.Slots() >= s.states[len(s.states)-1].slot+s.every {
		return errPause
	}
	return nil
}

// Limits of saved states: their number and bytes, and the slots between two of them. Beyond a limit, every second one
// goes.
const (
	statesMax      = 64
	statesBytesMax = 512 << 20
	statesEvery    = 64
)

func (s *Session) save() error {
	var data bytes.Buffer
	if err := s.machine.Save(&data); err != nil { // RTL that cannot be saved: only the start remains
		s.every = 1 << 31
		return nil
	}
	s.keepState(data.Bytes())
	return nil
}

func (s *Session) keepState(data []byte) {
	s.states = append(s.states, state{s.position, len(s.turns), s.machine.Slots(), data})
	if len(s.states) > statesMax || len(s.states)*len(data) > statesBytesMax {
		kept := s.states[:0]
		for k, one := range s.states {
			if k%2 == 0 {
				kept = append(kept, one)
			}
		}
		clear(s.states[len(kept):])
		s.states, s.every = kept, 2*s.every
	}
}

// Before implements firmware.Debugger.
func (s *Session) Before(number int, p *rv32.Processor) error {
	begins := p.Cycles == 0
	s.number, s.cpu = number, p
	slot := s.machine.Slots()
	if begins {
		s.turns = append(s.turns, turn{s.position, number, slot})
	}
	if s.travel != nil {
		if err := s.pass(begins); err != nil {
			return err
		}
	} else if reply := s.stops(slot); reply != "" {
		if err := s.stop(reply); err != nil {
			return err
		}
	}
	s.pending = s.watched(p)
	if s.goal.step == number {
		s.goal.stepped = true
	}
	s.position++
	return nil
}

// Trapped implements firmware.Debugger. A trapping instruction is not executed.
func (s *Session) Trapped(number int, p *rv32.Processor, cause error) error {
	s.position--
	s.number, s.cpu, s.pending = number, p, nil
	if s.travel != nil || s.conn == nil {
		return nil
	}
	s.say(reasonOf(cause) + "\n")
	return s.stop(s.reply(signalOf(cause), ""))
}

// stop reports a stop and executes gdb's commands until time goes on.
func (s *Session) stop(reply string) error {
	s.thread, s.goal = s.number, goal{step: -1}
	return s.serve(reply)
}

// travel is a way back to an earlier position: runs from saved states, whose stops do not count.
type travel struct {
	to    uint64 // position at which the run stops
	reply func(s *Session) string

	// While the run searches the last stop before `to`:
	searching bool
	from      uint64 // position of the state from which it searches
	found     bool
	at        uint64
	signal    int
	reason    string
	slot      uint32 // a stop at the first instruction from this slot on; 0 for none
	last      uint32 // slot of the last instruction
}

// backStep returns the way to the last instruction of a processor before now, or to the start.
func (s *Session) backStep(number int) *travel {
	before := func(to uint64) *travel { return &travel{to: to, reply: plainStop} }
	end := s.position
	for _, t := range slices.Backward(s.turns) {
		if t.number == number && t.from < end && end > 0 {
			return before(end - 1)
		}
		end = t.from
	}
	return &travel{reply: startStop}
}

func plainStop(s *Session) string { return s.reply(signalTrap, "") }
func startStop(s *Session) string { return s.reply(signalTrap, "replaylog:begin;") }

// backContinue returns the way to the last breakpoint or watchpoint before now.
func (s *Session) backContinue(slot uint32) *travel {
	return &travel{to: s.position, searching: true, slot: slot}
}

// stateBefore returns the index of the last saved state before a position, or of the start.
func (s *Session) stateBefore(position uint64) int {
	at := 0
	for k, one := range s.states {
		if one.position < position {
			at = k
		}
	}
	return at
}

// depart restores the state from which the way begins.
func (s *Session) depart() error {
	t := s.travel
	end := t.to
	if !t.searching {
		end++
	}
	at := s.stateBefore(end)
	one := s.states[at]
	if one.data == nil {
		if err := s.machine.Reset(s.machine.Seed); err != nil {
			return err
		}
	} else if err := s.machine.Restore(bytes.NewReader(one.data)); err != nil {
		return err
	}
	s.states = s.states[:at+1]
	s.position, s.turns, s.pending = one.position, s.turns[:one.turns], nil
	t.from, t.last = one.position, one.slot
	return nil
}

// pass follows the way. It stops at its end.
func (s *Session) pass(begins bool) error {
	t := s.travel
	switch {
	case t.searching && s.position >= t.to:
		return s.searched()
	case t.searching:
		s.search(begins)
	case s.position >= t.to:
		s.travel = nil
		return s.stop(t.reply(s))
	}
	return nil
}

// search notes a stop. Time goes back, so a watchpoint stops before its instruction.
func (s *Session) search(begins bool) {
	t := s.travel
	hit, slot := s.watched(s.cpu), s.machine.Slots()
	note := func(signal int, reason string) { t.found, t.at, t.signal, t.reason = true, s.position, signal, reason }
	switch {
	case hit != nil:
		note(signalTrap, hit.reason())
	case s.breaks[s.cpu.PC] > 0:
		note(signalTrap, "swbreak:;")
	case begins && t.slot > 0 && slot >= t.slot && t.last < t.slot:
		note(signalNone, "")
	}
	t.last = slot
}

// searched goes to the stop that was found, or searches from an earlier state on.
func (s *Session) searched() error {
	t := s.travel
	switch {
	case t.found:
		s.travel = &travel{to: t.at, reply: func(s *Session) string { return s.reply(t.signal, t.reason) }}
	case t.from > 0:
		t.to = t.from
	default:
		s.travel = &travel{reply: startStop}
	}
	return errTravel
}
