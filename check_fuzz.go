package starloom

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/nic"
	"starloom/traces"
)

// FuzzInput is one call of a handler on input that the run itself does not bring: after so
// many slots of the run, these frames are put into the processor's RX FIFO, its registers are
// overwritten with what is given, and its slot handler is called. With Call, a function that the
// network may call by name is called instead.
type FuzzInput struct {
	Seed      uint64      `json:"seed"`  // of the run
	Slots     uint32      `json:"slots"` // at least 1
	Processor int         `json:"processor"`
	Frames    []FuzzFrame `json:"frames"`
	Statuses  []FuzzLane  `json:"statuses,omitempty"` // of receivers
	Transmit  []FuzzLane  `json:"transmit_statuses,omitempty"`
	Schedule  *uint64     `json:"schedule,omitempty"` // the schedule's word
	Workload  *uint32     `json:"workload,omitempty"` // the workload's word
	ROM       []FuzzWord  `json:"rom,omitempty"`
	State     string      `json:"state,omitempty"` // bytes of the handler's state, in hex, from its first one on
	Call      *FuzzCall   `json:"call,omitempty"`
}

// FuzzFrame is a frame that was received.
type FuzzFrame struct {
	Port        uint16 `json:"port"`
	Kind        uint8  `json:"kind"`
	Source      uint32 `json:"source"`
	Destination uint32 `json:"destination"`
	Payload     string `json:"payload"` // in hex
}

// FuzzLane is the status of a receiver or transmitter: of its port where a NIC uses all at once,
// else of port 0.
type FuzzLane struct {
	Port   uint16 `json:"port"`
	Status uint8  `json:"status"`
	Served uint32 `json:"served,omitempty"` // of a transmitter: the addressee
}

// FuzzWord is a word of the network's tables, the processor's own or those of all.
type FuzzWord struct {
	Machine bool   `json:"machine"` // of all
	Word    int    `json:"word"`
	Value   uint32 `json:"value"`
}

// FuzzCall is a call by name.
type FuzzCall struct {
	Name      string   `json:"name"`
	Arguments []uint32 `json:"arguments"`
}

// FuzzFinding is what a handler has done on such input and must not do on any.
type FuzzFinding struct {
	Rule string `json:"rule"` // RuleTrap, RuleFail, RuleIllegalSend, RuleIllegalListen or "foreign_write"
	Path string `json:"path"`
	Text string `json:"text"` // for people
	// Received says that frames and statuses suffice, which the light of a faulty neighbour can
	// bring. What the network gives - words of the workload, of a schedule or of tables, arguments
	// of calls - and a state are damaged otherwise, which does not fail the check.
	Received bool `json:"received"`
	// GaveUp says that the handler has called sl_fail: the firmware's own decision, which does not
	// fail the check. A failed assertion is a fault, be it sl_assert, one of the SDK's checked
	// build or one of clang's sanitizers.
	GaveUp bool      `json:"gave_up,omitempty"`
	Input  FuzzInput `json:"input"` // the smallest that was found
	// Again is the command that finds the same in the smallest scenario that was found, whose
	// files FirmwareCheckOptions.Reproduce has written; "" without it.
	Again string `json:"again,omitempty"`

	place string // in the firmware: findings of one place are one
}

// fails reports whether a finding fails the check; others are noted.
func (x FuzzFinding) fails() bool { return x.Received && !x.GaveUp }

const (
	ruleForeignWrite = "foreign_write"
	fuzzTicks        = 4   // of a handler
	fuzzSeeds        = 3   // of runs after which handlers are called: that of the scenario and the next ones
	fuzzFindingsMax  = 32  // that are listed
	fuzzShrinksMax   = 512 // inputs that are tried to make one smaller
	fuzzRepeatsMax   = 256 // calls that find something, after which no more are made
	fuzzInputBytes   = 8 << 20
	fuzzWordsMax     = 3 // of tables in an input
)

// fuzzer calls the handlers of a machine on input of its own.
type fuzzer struct {
	m        *Machine
	random   *rand.Rand
	instance *firmware.Watched // of the processor that is called
	memory   []byte            // what it was after the slots of the run
	globals  []uint64
	silenced []uint64
}

// fuzz calls handlers on arbitrary input, after some of the slots of the run.
func (c *firmwareChecker) fuzz(o *FirmwareCheckOptions) (err error) {
	if n := c.scenario.Processors(); n > watchedProcessorsMax {
		c.leave(fmt.Sprintf("handlers on arbitrary input: %d processors are more than %d", n, watchedProcessorsMax))
		return nil
	}
	f, err := c.fuzzer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.m.close()) }()
	bases, repeats := fuzzBases(c.scenario.Seed, c.report.Runs[0].Slots), 0
	for i, base := range bases {
		c.progress(fmt.Sprintf("calls handlers on arbitrary input after %s with the seed %d", traces.Plural(base.slots, "slot", "slots"), base.seed))
		if err := f.step(base); err != nil {
			return err
		}
		for k := range o.Fuzz {
			if k%len(bases) != i || repeats >= fuzzRepeatsMax {
				continue
			}
			if err := c.ctx.Err(); err != nil {
				return err
			}
			in := f.draw()
			c.report.Fuzzed++
			findings := f.call(&in)
			if slices.ContainsFunc(findings, func(x FuzzFinding) bool { return x.GaveUp }) {
				c.report.GaveUp++
			}
			if slices.ContainsFunc(findings, FuzzFinding.fails) || len(findings) > 0 && f.m.host.Endless() {
				repeats++
			}
			for _, found := range findings {
				c.list(f, &found)
			}
		}
	}
	if c.report.Fuzzed < o.Fuzz {
		c.leave(fmt.Sprintf("%s of handlers on arbitrary input: %d of those before have shown what fails the check, or did not return", traces.Plural(o.Fuzz-c.report.Fuzzed, "more call", "more calls"), repeats))
	}
	if c.unlisted > 0 {
		c.leave(fmt.Sprintf("what else handlers do on arbitrary input: the list ends after %d findings, and others were made %s", fuzzFindingsMax, times(c.unlisted)))
	}
	return c.reproduce(o.Reproduce)
}

// list adds a finding, made smaller, to the report, unless one of the same place is there that
// needs no more. In a full list it takes the place of a note if it is worse.
func (c *firmwareChecker) list(f *fuzzer, x *FuzzFinding) {
	list := c.report.Fuzz
	k := slices.IndexFunc(list, func(y FuzzFinding) bool { return y.is(x) })
	switch {
	case k >= 0 && (list[k].Received || !x.Received):
		return
	case k < 0 && len(list) < fuzzFindingsMax:
		k, list = len(list), append(list, FuzzFinding{})
	case k < 0:
		if c.unlisted++; !x.fails() {
			return
		}
		if k = slices.IndexFunc(list, func(y FuzzFinding) bool { return !y.fails() }); k < 0 {
			return
		}
	}
	list[k], c.report.Fuzz = f.shrink(x), list
}

// fuzzer is a machine to call handlers of: banked, one at a time, and they end.
func (c *firmwareChecker) fuzzer() (*fuzzer, error) {
	m, err := c.watched()
	if err != nil {
		return nil, err
	}
	return &fuzzer{m: m, random: rand.New(rand.NewPCG(c.scenario.Seed, 0))}, nil
}

// fuzzBase is a place in a run.
type fuzzBase struct {
	seed  uint64
	slots uint32
}

// fuzzBases spreads the places in which handlers are called over a run, with several seeds.
func fuzzBases(seed, slots uint64) (list []fuzzBase) {
	slots = max(slots, 1)
	for k := range uint64(fuzzSeeds) {
		for _, at := range []uint64{1, 2, 3, slots / 4, slots / 2, slots * 3 / 4} {
			list = append(list, fuzzBase{seed + k, uint32(min(max(at, 1), slots))})
		}
	}
	slices.SortFunc(list, func(a, b fuzzBase) int {
		return cmp.Or(cmp.Compare(a.seed-seed, b.seed-seed), cmp.Compare(a.slots, b.slots))
	})
	return slices.Compact(list)
}

// step takes the machine to a place in a run. Nobody looks at what handlers write before.
func (f *fuzzer) step(base fuzzBase) error {
	f.restore()
	f.instance = nil
	if f.m.seed != base.seed || f.m.slot > base.slots {
		if err := f.m.Reset(base.seed); err != nil {
			return err
		}
	}
	f.watch(false)
	defer f.watch(true)
	for f.m.slot < base.slots && !f.m.ended {
		f.m.host.Limit(watchedTicks * watchedBank) // of all that are called together
		if err := f.m.Step(); err != nil {
			return err
		}
	}
	return nil
}

func (f *fuzzer) watch(on bool) {
	for i := range f.m.shards {
		for _, instance := range f.m.shards[i].instances {
			instance.(*firmware.Watched).Watch(on)
		}
	}
}

// choose takes the instance of a processor, and keeps what it is.
func (f *fuzzer) choose(processor int) (cell int) {
	instance, cell := f.m.instance(processor)
	if w := instance.(*firmware.Watched); w != f.instance {
		f.restore()
		f.instance = w
		f.memory, f.globals, f.silenced = append(f.memory[:0], w.Memory()...), w.Globals(), slices.Clone(w.Bank().SilencedCells())
	}
	return cell
}

// restore undoes what calls have done to the instance.
func (f *fuzzer) restore() {
	if f.instance == nil {
		return
	}
	if err := f.instance.SetState(f.memory, f.globals); err != nil {
		panic(fmt.Sprintf("fuzzing %s: %v", f.m.image.name, err)) // it has been in this state before
	}
	copy(f.instance.Bank().SilencedCells(), f.silenced)
	f.instance.TakeEvents()
	f.instance.TakeWrites()
}

// call calls a handler on an input and says what it must not have done. Afterwards the
// instance is as before.
func (f *fuzzer) call(in *FuzzInput) (findings []FuzzFinding) {
	cell := f.choose(in.Processor)
	defer f.restore()
	bank, slot := f.instance.Bank(), f.m.slot+1
	if bank.Silenced(cell) {
		return nil
	}
	found := func(rule, place, text string) {
		findings = append(findings, FuzzFinding{Rule: rule, Path: f.m.names.Processor(in.Processor), Text: text, Received: in.received(), Input: *in, place: place})
	}
	fault := func(what string, e firmware.Event) {
		where, place := eventPlace(&e), what+e.Function+e.Source
		switch e.Kind {
		case firmware.EventAssert:
			found(RuleFail, place+e.Text, fmt.Sprintf("%s fails the assertion `%s` in %s", what, e.Text, where))
		case firmware.EventFail:
			found(RuleFail, place+e.Text, fmt.Sprintf("%s calls sl_fail with code %s in %s", what, e.Text, where))
			findings[len(findings)-1].GaveUp = true
		case firmware.EventTrap:
			if f.m.host.Endless() {
				place = what // it ends wherever it is
			}
			found(RuleTrap, place, fmt.Sprintf("%s traps in %s: %s", what, where, e.Text))
		}
	}
	f.m.host.Limit(fuzzTicks)
	if in.Call != nil {
		if _, err := f.instance.Call(in.Call.Name, in.Call.Arguments...); err != nil {
			fault("its call "+in.Call.Name, f.instance.Fault(err))
		}
		return findings
	}
	in.put(bank, cell)
	f.instance.Slot([]uint32{uint32(cell)}, slot)
	writes, _ := f.instance.TakeWrites() // all into the bank
	for _, write := range writes {
		if write.Neighbour {
			found(ruleForeignWrite, write.Column, fmt.Sprintf("its handler writes into what belongs to processor %d: %s, at address %#x", bank.First+write.Owner, write.Column, write.Address))
			break
		}
	}
	for _, e := range f.instance.TakeEvents() {
		fault("its handler", e)
	}
	if bank.Silenced(cell) {
		return findings
	}
	var ledger fabric.Ledger
	ledger.Scan(bank, []uint32{uint32(cell)}, slot)
	ledger.ScanListen(bank, cell, cell+1, slot)
	for _, x := range ledger.Findings {
		found(x.Kind.Rule(), "", x.Text)
	}
	for place := range min(int(bank.Registers[cell].TxCount), bank.TxFrames) {
		if frame := bank.TxFrame(cell, place); !bank.Legal(cell, frame) {
			found(RuleIllegalSend, "", bank.Refusal(cell, frame))
			break
		}
	}
	return findings
}

// eventPlace says where in the firmware a handler has ended.
func eventPlace(e *firmware.Event) string {
	where := or(e.Function, "an unknown function")
	if e.Source != "" {
		where += " at " + e.Source
	}
	return where
}

// put brings an input to a cell.
func (in *FuzzInput) put(bank *nic.Bank, cell int) {
	if state, err := hex.DecodeString(in.State); err == nil {
		copy(bank.State(cell), state)
	}
	if in.Workload != nil {
		bank.Workload[cell] = *in.Workload
	}
	if in.Schedule != nil {
		bank.Schedule[cell] = *in.Schedule
	}
	for _, w := range in.ROM {
		if w.Machine {
			bank.Machine[w.Word] = w.Value
		} else {
			bank.ROM[cell*bank.ROMWords+w.Word] = w.Value
		}
	}
	for i := range in.Frames {
		bank.PushRx(cell, in.Frames[i].Port, in.Frames[i].view(bank.PayloadBytes))
	}
	for _, x := range in.Statuses {
		bank.SetRx(cell, x.Port, nic.Status(x.Status))
	}
	for _, x := range in.Transmit {
		bank.NoteTx(cell, x.Port, nic.TxStatus(x.Status), x.Served)
	}
}

// view is the frame as a receiver has it.
func (x *FuzzFrame) view(payloadBytes int) nic.FrameView {
	payload, _ := hex.DecodeString(x.Payload) // checked where it was read
	h := nic.Header{Kind: nic.Kind(x.Kind), PayloadBytes: len(payload), Source: x.Source, Destination: x.Destination}
	view := make(nic.FrameView, nic.FrameStride(payloadBytes))
	view.PutWire(nic.Marshal(make([]byte, nic.FrameBytes(len(payload))), h, payload))
	return view
}

// received reports whether frames and statuses are all that an input brings.
func (in *FuzzInput) received() bool {
	return in.Call == nil && in.Workload == nil && in.Schedule == nil && len(in.ROM) == 0 && in.State == ""
}

// is reports whether two findings are the same fault, as far as one can tell.
func (x *FuzzFinding) is(y *FuzzFinding) bool { return x.Rule == y.Rule && x.place == y.place }

// draw makes an input for the slot that comes next.
func (f *fuzzer) draw() FuzzInput {
	r, n := f.random, f.m.shape.Processors()
	in := FuzzInput{Seed: f.m.seed, Slots: f.m.slot, Processor: r.IntN(n), Frames: []FuzzFrame{}}
	f.choose(in.Processor)
	bank := f.instance.Bank()
	if calls := f.instance.Calls(); len(calls) > 0 && r.IntN(16) == 0 {
		call := calls[r.IntN(len(calls))]
		in.Call = &FuzzCall{Name: call.Name, Arguments: []uint32{}}
		for range call.Arguments {
			in.Call.Arguments = append(in.Call.Arguments, f.word())
		}
		return in
	}
	for range 1 + r.IntN(min(3, bank.RxFrames)) {
		x := FuzzFrame{Port: uint16(r.IntN(bank.Ports)), Source: uint32(r.IntN(n)), Destination: uint32(in.Processor)}
		if r.IntN(4) == 0 {
			x.Kind, x.Destination = uint8(r.IntN(int(nic.KindCount))), f.word()
		}
		payload := make([]byte, 0, bank.PayloadBytes+4)
		for size := r.IntN(bank.PayloadBytes + 1); len(payload) < size; {
			payload = binary.LittleEndian.AppendUint32(payload, f.word())
		}
		if r.IntN(2) == 0 {
			payload = payload[:min(len(payload), bank.PayloadBytes)]
			for i := range payload {
				payload[i] = [...]byte{0, 1, 0xFF, 0x80, byte(n), payload[i], byte(r.Uint32()), byte(r.Uint32())}[r.IntN(8)]
			}
		}
		x.Payload = hex.EncodeToString(payload[:min(len(payload), bank.PayloadBytes)])
		in.Frames = append(in.Frames, x)
	}
	for lane := range bank.Lanes() {
		if r.IntN(4) == 0 {
			in.Statuses = append(in.Statuses, FuzzLane{Port: uint16(lane), Status: uint8(r.IntN(int(nic.StatusOverflow) + 1))})
		}
		if bank.TxStatus != nil && r.IntN(4) == 0 {
			in.Transmit = append(in.Transmit, FuzzLane{Port: uint16(lane), Status: uint8(r.IntN(int(nic.TxCollided) + 1)), Served: f.word()})
		}
	}
	if bank.Schedule != nil && r.IntN(8) == 0 {
		word := r.Uint64()
		if r.IntN(2) == 0 {
			word = uint64(f.word())<<32 | uint64(f.word())
		}
		in.Schedule = &word
	}
	if words := len(bank.Machine) + bank.ROMWords; bank.TakesROM && words > 0 && r.IntN(8) == 0 {
		for range 1 + r.IntN(fuzzWordsMax) {
			word := r.IntN(words)
			w := FuzzWord{Machine: word >= bank.ROMWords, Word: word, Value: f.word()}
			if w.Machine {
				w.Word -= bank.ROMWords
			}
			in.ROM = append(in.ROM, w)
		}
	}
	if r.IntN(16) == 0 {
		word := f.word()
		in.Workload = &word
	}
	if size := min(bank.StateBytes(), 4096); size > 0 && r.IntN(8) == 0 {
		state := make([]byte, size)
		for i := range state {
			state[i] = byte(r.Uint32())
		}
		in.State = hex.EncodeToString(state)
	}
	return in
}

// word is one that firmware may not have thought of.
func (f *fuzzer) word() uint32 {
	n := uint32(f.m.shape.Processors())
	words := [...]uint32{0, 1, n - 1, n, 0xFF, 0xFFFF, 1<<31 - 1, 1 << 31, 1<<32 - 1, uint32(f.random.IntN(256))}
	if k := f.random.IntN(2 * len(words)); k < len(words) {
		return words[k]
	}
	return f.random.Uint32()
}

// shrink makes the input of a finding smaller for as long as the same is found.
func (f *fuzzer) shrink(x *FuzzFinding) FuzzFinding {
	best, tries := *x, 0
	try := func(change func(in *FuzzInput)) bool {
		if tries++; tries > fuzzShrinksMax {
			return false
		}
		in := best.Input
		in.Frames, in.ROM = slices.Clone(in.Frames), slices.Clone(in.ROM)
		in.Statuses, in.Transmit = slices.Clone(in.Statuses), slices.Clone(in.Transmit)
		change(&in)
		for _, found := range f.call(&in) {
			if found.is(&best) {
				best = found
				return true
			}
		}
		return false
	}
	try(func(in *FuzzInput) { in.State = "" })
	try(func(in *FuzzInput) { in.Workload = nil })
	try(func(in *FuzzInput) { in.Schedule = nil })
	for k := len(best.Input.ROM) - 1; k >= 0; k-- {
		try(func(in *FuzzInput) { in.ROM = slices.Delete(in.ROM, k, k+1) })
	}
	for k := len(best.Input.Statuses) - 1; k >= 0; k-- {
		try(func(in *FuzzInput) { in.Statuses = slices.Delete(in.Statuses, k, k+1) })
	}
	for k := len(best.Input.Transmit) - 1; k >= 0; k-- {
		try(func(in *FuzzInput) { in.Transmit = slices.Delete(in.Transmit, k, k+1) })
	}
	for k := range best.Input.Transmit {
		try(func(in *FuzzInput) { in.Transmit[k].Served = 0 })
	}
	if best.Input.Call != nil {
		for k := range best.Input.Call.Arguments {
			try(func(in *FuzzInput) {
				call := FuzzCall{in.Call.Name, slices.Clone(in.Call.Arguments)}
				call.Arguments[k], in.Call = 0, &call
			})
		}
	}
	for k := len(best.Input.Frames) - 1; k >= 0; k-- {
		try(func(in *FuzzInput) { in.Frames = slices.Delete(in.Frames, k, k+1) })
	}
	for k := range best.Input.Frames {
		try(func(in *FuzzInput) { in.Frames[k].Kind, in.Frames[k].Destination = 0, uint32(in.Processor) })
		try(func(in *FuzzInput) { in.Frames[k].Source = 0 })
		try(func(in *FuzzInput) { in.Frames[k].Port = 0 })
		for size := 0; size < len(best.Input.Frames[k].Payload); size += 2 {
			if try(func(in *FuzzInput) { in.Frames[k].Payload = in.Frames[k].Payload[:size] }) {
				break
			}
		}
		for at := 0; at < len(best.Input.Frames[k].Payload); at += 2 {
			if payload := best.Input.Frames[k].Payload; payload[at:at+2] != "00" {
				try(func(in *FuzzInput) { in.Frames[k].Payload = payload[:at] + "00" + payload[at+2:] })
			}
		}
	}
	return best
}
