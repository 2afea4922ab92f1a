package debug

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"starloom/fabric/outcome"
	"starloom/firmware/rv32"
	"starloom/nic"
)

// serve sends the reply of a stop and executes commands until time goes on. It returns an error to end the run or to
// go back.
func (s *Session) serve(reply string) error {
	if s.conn == nil {
		return nil
	}
	if s.resumed { // gdb asks for the first reply
		s.conn.send(reply)
	}
	s.resumed = true
	for {
		var packet string
		ok := false
		select {
		case packet, ok = <-s.conn.packets:
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
		if !ok {
			s.conn = nil
			return nil
		}
		if packet == "?" {
			s.conn.send(reply)
			continue
		}
		resumed, err := s.resume(packet)
		if resumed || err != nil {
			return err
		}
		s.conn.send(s.answer(packet))
	}
}

// resume executes a command after which time goes on.
func (s *Session) resume(packet string) (resumed bool, err error) {
	name, rest, _ := strings.Cut(packet, ";")
	switch {
	case packet == "bc":
		s.travel = s.backContinue(s.goal.slot)
		return true, errTravel
	case packet == "bs":
		s.travel = s.backStep(s.thread)
		return true, errTravel
	case name == "vCont":
		s.goal.step = s.stepped(rest)
		return true, nil
	case strings.HasPrefix(packet, "c"), strings.HasPrefix(packet, "C"):
		return true, nil
	case strings.HasPrefix(packet, "s"), strings.HasPrefix(packet, "S"):
		s.goal.step = s.thread
		return true, nil
	case packet == "D":
		s.conn.send("OK")
		s.conn = nil
		return true, nil
	case packet == "k", name == "vKill":
		if name == "vKill" {
			s.conn.send("OK")
		}
		s.killed = true
		return true, errKilled
	}
	return false, nil
}

// stepped returns the processor that the actions of vCont step, -1 for none.
func (s *Session) stepped(actions string) int {
	for action := range strings.SplitSeq(actions, ";") {
		what, thread, given := strings.Cut(action, ":")
		if strings.HasPrefix(what, "s") || strings.HasPrefix(what, "S") {
			if number, ok := s.numberOf(thread); given && ok {
				return number
			}
			return s.thread
		}
	}
	return -1
}

// numberOf returns the processor of a thread. Threads 0 and -1 are any thread: the current processor.
func (s *Session) numberOf(thread string) (number int, ok bool) {
	if thread == "0" || thread == "-1" {
		return s.number, true
	}
	id, err := strconv.ParseInt(thread, 16, 32)
	number = int(id) - 1
	for _, followed := range s.processors {
		if err == nil && followed == number {
			return number, true
		}
	}
	return 0, false
}

const (
	refused = "E01"
	unknown = ""
)

// answers are the commands that begin with a name; the rest of the packet is the argument.
var answers = []struct {
	name   string
	answer func(s *Session, rest string) string
}{
	{"qSupported", func(*Session, string) string {
		return fmt.Sprintf("PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;vContSupported+;swbreak+;"+
			"ReverseStep+;ReverseContinue+", packetBytesMax-8)
	}},
	{"qXfer:features:read:target.xml:", func(_ *Session, place string) string { return part(description(), place) }},
	{"qRcmd,", func(s *Session, command string) string { return s.monitor(command) }},
	{"qAttached", func(*Session, string) string { return "1" }},
	{"qC", func(s *Session, _ string) string { return fmt.Sprintf("QC%x", threadOf(s.number)) }},
	{"qfThreadInfo", func(s *Session, _ string) string { return s.threads() }},
	{"qsThreadInfo", func(*Session, string) string { return "l" }},
	{"qThreadExtraInfo,", func(s *Session, thread string) string { return s.threadText(thread) }},
	{"vCont?", func(*Session, string) string { return "vCont;c;C;s;S" }},
	{"H", func(s *Session, of string) string { return s.choose(of) }},
	{"T", func(s *Session, thread string) string {
		if _, ok := s.numberOf(thread); !ok {
			return refused
		}
		return "OK"
	}},
	{"g", func(s *Session, _ string) string { return s.allRegisters() }},
	{"p", func(s *Session, number string) string {
		if n, err := strconv.ParseUint(number, 16, 32); err == nil && n <= numberPC {
			return register(s.chosen(), n)
		}
		return refused
	}},
	{"m", func(s *Session, place string) string { return s.memory(place) }},
	// a change would make another run of it
	{"G", refuse}, {"P", refuse}, {"M", refuse},
	{"Z", func(s *Session, point string) string { return s.pointed(point, true) }},
	{"z", func(s *Session, point string) string { return s.pointed(point, false) }},
}

func refuse(*Session, string) string { return refused }

func (s *Session) answer(packet string) string {
	for _, a := range answers {
		if rest, ok := strings.CutPrefix(packet, a.name); ok {
			return a.answer(s, rest)
		}
	}
	return unknown
}

func (s *Session) threads() string {
	ids := make([]string, len(s.processors))
	for k, number := range s.processors {
		ids[k] = strconv.FormatInt(int64(threadOf(number)), 16)
	}
	return "m" + strings.Join(ids, ",")
}

func (s *Session) threadText(thread string) string {
	number, ok := s.numberOf(thread)
	if !ok {
		return refused
	}
	text := fmt.Sprintf("processor %d, %s", number, s.machine.Names.Processor(number))
	if number != s.number {
		text += ", between two turns"
	}
	return hex.EncodeToString([]byte(text))
}

// choose selects the thread of the next commands: g, for reading, or c, for steps.
func (s *Session) choose(of string) string {
	number, ok := s.numberOf(of[min(1, len(of)):])
	if !ok {
		return refused
	}
	s.thread = number
	return "OK"
}

// chosen returns the chosen processor.
func (s *Session) chosen() *rv32.Processor {
	if s.thread == s.number {
		return s.cpu
	}
	return s.machine.Followed(s.thread)
}

func (s *Session) allRegisters() string {
	p, text := s.chosen(), ""
	for n := range uint64(numberPC + 1) {
		text += register(p, n)
	}
	return text
}

// memory reads RAM, text and constants and, of the processor whose turn runs, frames in the FIFOs. It does not read
// registers of the window: some of them have side effects.
func (s *Session) memory(place string) string {
	var address, bytes uint32
	if _, err := fmt.Sscanf(place, "%x,%x", &address, &bytes); err != nil {
		return refused
	}
	bytes = min(bytes, packetBytesMax/2-8)
	if found := s.chosen().Bytes(address, bytes); found != nil {
		return hex.EncodeToString(found)
	}
	var found []byte
	for n := range bytes {
		if s.thread != s.number || !nic.InFIFOs(address+n) {
			break
		}
		value, err := s.cpu.Load(address + n)
		if err != nil {
			break
		}
		found = append(found, byte(value))
	}
	return cmp.Or(hex.EncodeToString(found), refused)
}

func (s *Session) pointed(point string, insert bool) string {
	if point == "" || !s.point(point, insert) {
		return unknown
	}
	return "OK"
}

// monitorHelp lists the commands of gdb's monitor.
const monitorHelp = `monitor cycle         cycles of the core in this turn
monitor slot          slot, and its first cycle
monitor frames        frames in the FIFOs of the thread's processor
monitor run-to SLOT   the next continue or reverse-continue stops in this slot
`

// monitor executes a command of gdb's monitor, which is in hexadecimal digits.
func (s *Session) monitor(digits string) string {
	command, err := hex.DecodeString(digits)
	if err != nil {
		return refused
	}
	m, slot := s.machine, s.machine.Slots()
	words := append(strings.Fields(string(command)), "", "")
	text := monitorHelp
	switch words[0] {
	case "cycle":
		text = fmt.Sprintf("%d cycles since the turn of processor %d in slot %d began\n", s.cpu.Cycles, s.number, slot)
		if budget := m.Budget(); budget > 0 {
			text = strings.TrimSuffix(text, "\n") + fmt.Sprintf("; it may take %d\n", budget)
		}
	case "slot":
		text = fmt.Sprintf("slot %d, which begins in cycle %d of the network\n", slot, m.Timing().SlotCycle(slot))
	case "frames":
		text = strings.Join(append(m.Frames(s.thread), ""), "\n")
	case "run-to":
		text = s.runTo(words[1], slot)
	}
	return hex.EncodeToString([]byte(text))
}

func (s *Session) runTo(word string, now uint32) string {
	slot, err := strconv.ParseUint(word, 10, 32)
	if limit := uint64(s.machine.Config.Slots); err != nil || slot < 1 || slot > limit {
		return fmt.Sprintf("%q is not a slot; use 1 to %d\n", word, limit)
	}
	s.goal.slot = uint32(slot)
	if uint32(slot) <= now {
		return fmt.Sprintf("reverse-continue stops in slot %d\n", slot)
	}
	return fmt.Sprintf("continue stops in slot %d\n", slot)
}

func (s *Session) say(text string) { s.conn.send("O" + hex.EncodeToString([]byte(text))) }

// sayEnd tells gdb that the run has ended: status 0 for the verdict pass, otherwise 1.
func (s *Session) sayEnd() {
	if s.conn == nil {
		return
	}
	verdict := s.machine.Sum().Verdict
	s.say(fmt.Sprintf("the run has ended in slot %d: %s\n", s.machine.Slots(), verdict))
	status := 1
	if verdict == outcome.VerdictPass {
		status = 0
	}
	s.conn.send(fmt.Sprintf("W%02x", status))
}
