package debug

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/firmware"
	"starloom/firmware/rv32"
)

// watch is a watchpoint.
type watch struct {
	kind           string // watch, rwatch, awatch
	address, bytes uint32
}

// hit is a watchpoint that an instruction of a processor has reached.
type hit struct {
	number int
	watch
}

var watchKinds = map[byte]string{'2': "watch", '3': "rwatch", '4': "awatch"}

// watched returns the watchpoint that the next instruction reaches, nil for none.
func (s *Session) watched(p *rv32.Processor) *hit {
	if len(s.watches) == 0 {
		return nil
	}
	address, bytes, stores := p.Access()
	for _, w := range s.watches {
		reached := uint64(address) < uint64(w.address)+uint64(w.bytes) && uint64(w.address) < uint64(address)+uint64(bytes)
		if reached && (w.kind == "awatch" || stores == (w.kind == "watch")) {
			return &hit{s.number, w}
		}
	}
	return nil
}

// stops returns the reply of a stop before the instruction of the instant, "" if time goes on.
func (s *Session) stops(slot uint32) string {
	switch {
	case s.conn == nil:
		return ""
	case s.conn.interrupted.Load():
		s.conn.interrupted.Store(false)
		return s.reply(signalInterrupt, "")
	case s.pending != nil && s.pending.number == s.number:
		return s.reply(signalTrap, s.pending.reason())
	case s.breaks[s.cpu.PC] > 0:
		return s.reply(signalTrap, "swbreak:;")
	case s.goal.step == s.number && s.goal.stepped:
		return s.reply(signalTrap, "")
	case s.goal.slot > 0 && slot >= s.goal.slot:
		return s.reply(signalNone, "")
	}
	return ""
}

func (h *hit) reason() string { return fmt.Sprintf("%s:%x;", h.kind, h.address) }

// Signals of stops, by gdb's numbers.
const (
	signalNone      = 0
	signalInterrupt = 2
	signalIllegal   = 4
	signalTrap      = 5
	signalAbort     = 6
	signalSegment   = 11
)

func (s *Session) reply(signal int, reason string) string {
	return fmt.Sprintf("T%02xthread:%x;%s", signal, threadOf(s.number), reason)
}

// threadOf returns the thread of a processor: threads count from 1.
func threadOf(number int) int { return number + 1 }

// signalOf returns the signal of a trap.
func signalOf(cause error) int {
	var trap *rv32.TrapError
	switch {
	case errors.As(cause, &trap) && trap.Reason == "ebreak":
		return signalTrap
	case errors.As(cause, &trap):
		return signalIllegal
	case firmware.GivesUp(cause):
		return signalAbort
	}
	return signalSegment
}

func reasonOf(cause error) string {
	text, _, _ := strings.Cut(cause.Error(), " (recovered by wazero)")
	text, _, _ = strings.Cut(text, "\n")
	return "the program traps: " + text
}

// point inserts or removes a breakpoint or watchpoint: KIND,ADDRESS,BYTES. It reports false for another kind.
func (s *Session) point(text string, insert bool) (known bool) {
	var address, bytes uint32
	kind, rest := text[0], strings.Split(text[min(len(text), 2):], ";")[0]
	if _, err := fmt.Sscanf(rest, "%x,%x", &address, &bytes); err != nil {
		return false
	}
	switch {
	case (kind == '0' || kind == '1') && insert:
		s.breaks[address]++
	case kind == '0' || kind == '1':
		s.breaks[address] = max(s.breaks[address]-1, 0)
	case watchKinds[kind] == "":
		return false
	default:
		w := watch{watchKinds[kind], address, bytes}
		if at := slices.Index(s.watches, w); insert {
			s.watches = append(s.watches, w)
		} else if at >= 0 {
			s.watches = slices.Delete(s.watches, at, at+1)
		}
	}
	return true
}
