package starloom

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// FuzzInput is one call of a handler on input that the run itself does not bring: after so
// many slots of the run, these frames are put into the processor's RX FIFO, its registers are
// overwritten with what is given, and its slot handler is called.
type FuzzInput struct {
	Slots     uint32      `json:"slots"` // at least 1
	Processor int         `json:"processor"`
	Frames    []FuzzFrame `json:"frames"`
	Status    *uint8      `json:"status,omitempty"`   // of the receiver, of port 0
	Workload  *uint32     `json:"workload,omitempty"` // the workload's word
	State     string      `json:"state,omitempty"`    // bytes of the handler's state, in hex, from its first one on
}

// FuzzFrame is a frame that was received.
type FuzzFrame struct {
	Port        uint16 `json:"port"`
	Kind        uint8  `json:"kind"`
	Source      uint32 `json:"source"`
	Destination uint32 `json:"destination"`
	Payload     string `json:"payload"` // in hex
}

// FuzzFinding is what a handler has done on such input and must not do on any.
type FuzzFinding struct {
	Rule string `json:"rule"` // RuleTrap, RuleIllegalSend, RuleIllegalListen or "foreign_write"
	Path string `json:"path"`
	Text string `json:"text"` // for people
	// Received says that frames and statuses suffice, which the light of a faulty neighbour can
	// bring. A word of the workload or a state that is damaged needs more than that, and does
	// not fail the check.
	Received bool      `json:"received"`
	Input    FuzzInput `json:"input"` // the smallest that was found
	File     string    `json:"file,omitempty"`

	place string // in the firmware: findings of one place are one
}

const (
	ruleForeignWrite = "foreign_write"
	fuzzTicks        = 4   // of a handler
	fuzzBases        = 6   // slots of the run after which handlers are called
	fuzzFindingsMax  = 32  // that are listed
	fuzzShrinksMax   = 512 // inputs that are tried to make one smaller
	fuzzRepeatsMax   = 256 // calls that find something, after which no more are made
	fuzzInputBytes   = 8 << 20
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
	bases, repeats := fuzzSlots(c.report.Runs[0].Slots), 0
	for i, slots := range bases {
		c.progress(fmt.Sprintf("calls handlers on arbitrary input after %d slots", slots))
		if err := f.step(slots); err != nil {
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
			if len(findings) > 0 {
				repeats++
			}
			for _, found := range findings {
				same := func(g FuzzFinding) bool { return g.is(&found) }
				if k := slices.IndexFunc(c.report.Fuzz, same); k < 0 && len(c.report.Fuzz) < fuzzFindingsMax {
					c.report.Fuzz = append(c.report.Fuzz, f.shrink(&found))
				} else if k >= 0 && !c.report.Fuzz[k].Received && found.Input.received() {
					c.report.Fuzz[k] = f.shrink(&found)
				}
			}
		}
	}
	return c.reproduce(o.Reproduce)
}

// fuzzer is a machine to call handlers of: banked, one at a time, and they end.
func (c *firmwareChecker) fuzzer() (*fuzzer, error) {
	m, err := c.watched()
	if err != nil {
		return nil, err
	}
	return &fuzzer{m: m, random: rand.New(rand.NewPCG(c.scenario.Seed, 0))}, nil
}

// fuzzSlots spreads the slots after which handlers are called over a run.
func fuzzSlots(slots uint64) (list []uint32) {
	slots = max(slots, 1)
	for _, at := range []uint64{1, 2, 3, slots / 4, slots / 2, slots * 3 / 4}[:fuzzBases] {
		list = append(list, uint32(min(max(at, 1), slots)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// step takes the machine to after so many slots of the run, never back.
func (f *fuzzer) step(slots uint32) error {
	f.restore()
	f.instance = nil
	for f.m.slot < slots && !f.m.ended {
		if err := f.m.Step(); err != nil {
			return err
		}
	}
	return nil
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
	in.put(bank, cell)
	f.m.host.Limit(fuzzTicks)
	f.instance.Slot([]uint32{uint32(cell)}, slot)
	found := func(rule, place, text string) {
		findings = append(findings, FuzzFinding{Rule: rule, Path: f.m.names.Processor(in.Processor), Text: text, Received: in.received(), Input: *in, place: place})
	}
	for _, write := range f.instance.TakeWrites() {
		if write.Owner >= 0 {
			found(ruleForeignWrite, write.Column, fmt.Sprintf("its handler writes into what belongs to processor %d: %s, at address %#x", bank.First+write.Owner, write.Column, write.Address))
			break
		}
	}
	for _, e := range f.instance.TakeEvents() {
		if e.Kind == firmware.EventTrap {
			place := e.Function + e.Source
			if f.m.host.Endless() {
				place = "" // it ends wherever it is
			}
			found(RuleTrap, place, strings.TrimSuffix(fmt.Sprintf("its handler traps in %s: %s, at %s", or(e.Function, "an unknown function"), e.Text, e.Source), ", at "))
			return findings
		}
	}
	if bank.Silenced(cell) {
		return findings // it gave up
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

// put brings an input to a cell.
func (in *FuzzInput) put(bank *nic.Bank, cell int) {
	if state, err := hex.DecodeString(in.State); err == nil {
		copy(bank.State(cell), state)
	}
	if in.Workload != nil {
		bank.Workload[cell] = *in.Workload
	}
	for i := range in.Frames {
		bank.PushRx(cell, in.Frames[i].Port, in.Frames[i].view(bank.PayloadBytes))
	}
	if in.Status != nil {
		bank.SetRx(cell, 0, nic.Status(*in.Status))
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
func (in *FuzzInput) received() bool { return in.Workload == nil && in.State == "" }

// is reports whether two findings are the same fault, as far as one can tell.
func (x *FuzzFinding) is(y *FuzzFinding) bool { return x.Rule == y.Rule && x.place == y.place }

// draw makes an input for the slot that comes next.
func (f *fuzzer) draw() FuzzInput {
	r, n := f.random, f.m.shape.Processors()
	in := FuzzInput{Slots: f.m.slot, Processor: r.IntN(n), Frames: []FuzzFrame{}}
	f.choose(in.Processor)
	bank := f.instance.Bank()
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
	if r.IntN(4) == 0 {
		status := uint8(r.IntN(int(nic.StatusOverflow) + 1))
		in.Status = &status
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
		in.Frames = slices.Clone(in.Frames)
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
	try(func(in *FuzzInput) { in.Status = nil })
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

// reproduce writes the inputs of all findings into a folder, each into a file of its own.
func (c *firmwareChecker) reproduce(folder string) error {
	if folder == "" || len(c.report.Fuzz) == 0 {
		return nil
	}
	refused := func(err error) error {
		return &InputError{Place: "--reproduce", Reason: err.Error(), Remedy: "give a folder that can be written"}
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return refused(err)
	}
	var files traces.Files
	defer files.Abort()
	for i := range c.report.Fuzz {
		x := &c.report.Fuzz[i]
		x.File = filepath.Join(folder, fmt.Sprintf("%02d-%s.json", i+1, x.Rule))
		file, err := files.Create(x.File)
		if err != nil {
			return refused(err)
		}
		if err := writeJSON(file, &x.Input); err != nil {
			return err
		}
	}
	return files.Commit()
}

// replay calls a handler once more on the input in a file.
func (c *firmwareChecker) replay(path string) (err error) {
	in, err := readFuzzInput(path, c.scenario)
	if err != nil {
		return err
	}
	f, err := c.fuzzer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.m.close()) }()
	if err := f.step(in.Slots); err != nil {
		return err
	}
	if f.m.slot != in.Slots {
		return &InputError{Place: path, Reason: fmt.Sprintf("slots is %d, and the run ends after %d", in.Slots, f.m.slot), Remedy: "give the scenario and the seed that it was found with"}
	}
	c.report.Firmware = f.m.report().Firmware
	c.report.Fuzzed = 1
	if found := f.call(in); len(found) > 0 {
		c.report.Fuzz = found
	}
	return nil
}

// readFuzzInput reads an input and checks it against the network.
func readFuzzInput(path string, s *Scenario) (*FuzzInput, error) {
	const remedy = "give a file that --reproduce has written"
	text, err := input.Read(path, fuzzInputBytes)
	if err != nil {
		return nil, input.Unreadable(path, err, remedy)
	}
	in := &FuzzInput{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	refuse := func(format string, arguments ...any) (*FuzzInput, error) {
		return nil, &InputError{Place: path, Reason: fmt.Sprintf(format, arguments...), Remedy: remedy}
	}
	if err := decoder.Decode(in); err != nil {
		return refuse("this is not the input of a handler: %v", err)
	}
	shape := s.network().Shape()
	if in.Slots < 1 || in.Slots > s.Stop.Slots {
		return refuse("slots is %d; allowed are 1 to %d", in.Slots, s.Stop.Slots)
	}
	if in.Processor < 0 || in.Processor >= shape.Processors() {
		return refuse("there is no processor %d; the network has 0 to %d", in.Processor, shape.Processors()-1)
	}
	if _, err := hex.DecodeString(in.State); err != nil {
		return refuse("state: %v", err)
	}
	for k, x := range in.Frames {
		payload, err := hex.DecodeString(x.Payload)
		switch {
		case err != nil:
			return refuse("frames[%d]: payload: %v", k, err)
		case len(payload) > s.NIC.PayloadBytes:
			return refuse("frames[%d]: a payload of %d bytes; nic.payload_bytes is %d", k, len(payload), s.NIC.PayloadBytes)
		case int(x.Port) >= shape.Ports:
			return refuse("frames[%d]: there is no port %d; a NIC has 0 to %d", k, x.Port, shape.Ports-1)
		case nic.Kind(x.Kind) >= nic.KindCount:
			return refuse("frames[%d]: there is no kind %d of frames", k, x.Kind)
		}
	}
	return in, nil
}
