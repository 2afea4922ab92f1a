package emulator

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"starloom/firmware"
	"starloom/internal/meter"
	"starloom/nic"
	"starloom/traces"
)

const replayBytesMax = 256 << 20

// replay records the inputs of one processor's handlers and repeats the calls in a separate instance.
type replay struct {
	processor int
	stride    int // bytes per frame
	instance  firmware.Instance
	Calls     []ReplayCall
	bytes     int
	cut       bool // later calls were not recorded
	recording bool
	from      uint32 // slot of the restored state from which the run continued, 0 without one
}

// ReplayCall is a recorded call of a handler.
type ReplayCall struct {
	Handler       replayHandler
	slot          uint32
	before, after nic.Cell
	probes        []uint64         // values after the call
	events        []firmware.Event // effects other than frames
	Cost          uint32           // number of instructions of this call, if the machine meters instructions
}

type replayHandler uint8

const (
	CallSlot    replayHandler = iota // on_slot
	callStart                        // on_start, before slot 0
	callRestart                      // on_start, after a restart by a fault
)

func (r *replay) place(bank *nic.Bank) (cell int, ok bool) {
	if r == nil || !r.recording {
		return 0, false
	}
	cell = r.processor - bank.First
	return cell, cell >= 0 && cell < bank.Cells
}

func (r *replay) begin(instance firmware.Instance, handler replayHandler, cells []uint32,
	slot uint32) (call *ReplayCall) {
	cell, ok := r.place(instance.Bank())
	if !ok || r.cut || handler != callStart && !slices.Contains(cells, uint32(cell)) {
		return nil
	}
	return &ReplayCall{Handler: handler, slot: slot, before: instance.Bank().Cell(cell)}
}

func (r *replay) end(call *ReplayCall, instance firmware.Instance) {
	if call == nil {
		return
	}
	cell, _ := r.place(instance.Bank())
	call.after = instance.Bank().Cell(cell)
	call.probes = probesOf(instance, cell)
	r.Calls = append(r.Calls, *call)
	r.bytes += 512 + 2*(len(call.after.Rx)+len(call.after.Tx))
	r.cut = r.bytes > replayBytesMax
}

func (r *replay) drop(slot uint32) {
	if r == nil {
		return
	}
	for last := len(r.Calls) - 1; last >= 0 && r.Calls[last].slot == slot; last-- {
		r.Calls, r.cut = r.Calls[:last], false
	}
}

func (r *replay) note(bank *nic.Bank, e firmware.Event) {
	if cell, ok := r.place(bank); ok && cell == e.Cell && e.Kind != firmware.EventLogFull && !r.cut && len(r.Calls) > 0 {
		last := &r.Calls[len(r.Calls)-1]
		last.events = append(last.events, ofCellZero(e))
	}
}

func ofCellZero(e firmware.Event) firmware.Event {
	e.Cell = 0
	return e
}

func probesOf(instance firmware.Instance, cell int) []uint64 {
	probes := instance.Probes()
	each := len(probes) / instance.Bank().Cells
	return slices.Clone(probes[cell*each : (cell+1)*each])
}

// Again repeats the calls in a separate instance of the processor and passes each call to describe. Again stops at
// the first call that differs from the run, and returns its number and the difference.
func (r *replay) Again(describe func(call *ReplayCall) error) (number int, what string, err error) {
	for i := range r.Calls {
		was := &r.Calls[i]
		r.instance.Bank().SetCell(0, was.before)
		switch was.Handler {
		case callStart:
			r.instance.Start()
		case callRestart:
			r.instance.Restart([]uint32{0})
		default:
			r.instance.Slot([]uint32{0}, was.slot)
		}
		call := ReplayCall{Handler: was.Handler, slot: was.slot, before: was.before, after: r.instance.Bank().Cell(0),
			probes: probesOf(r.instance, 0)}
		if costs := r.instance.Costs(); len(costs) > 0 {
			call.Cost = costs[0]
		}
		if !r.together(i) {
			for _, e := range r.instance.TakeEvents() {
				if e.Kind != firmware.EventLogFull {
					call.events = append(call.events, ofCellZero(e))
				}
			}
		}
		if err := describe(&call); err != nil {
			return i, "", err
		}
		switch {
		case was.after.Difference(&call.after) != "":
			what = was.after.Difference(&call.after)
		case !slices.Equal(was.probes, call.probes):
			what = "probes"
		case len(was.events)+len(call.events) > 0 && !reflect.DeepEqual(was.events, call.events):
			what = "logs, deliveries, results or failures"
		}
		if what != "" {
			return i, what, nil
		}
	}
	return len(r.Calls), "", nil
}

// together reports whether call i restarts a processor whose slot handler is called in the same slot. Both calls have
// one list of events.
func (r *replay) together(i int) bool {
	return r.Calls[i].Handler == callRestart && i+1 < len(r.Calls) && r.Calls[i+1].slot == r.Calls[i].slot
}

// when names the boundary of a call.
func (c *ReplayCall) when() string {
	switch c.Handler {
	case callStart:
		return "start"
	case callRestart:
		return fmt.Sprintf("slot %d, restarted", c.slot)
	}
	return fmt.Sprintf("slot %d", c.slot)
}

type narrator struct {
	stride  int            // bytes per frame
	probes  []string       // names
	values  []uint64       // of the probes after the previous call
	results []string       // names
	written map[int]uint64 // values of results
	clock   *meter.Clock   // nil if handlers take no time
}

// quietCalls writes a line for each call, and a second line for its changes. Several successive calls without inputs,
// actions and changes share a line.
type quietCalls struct {
	out         io.Writer
	first, last uint32 // slots of the calls that are not written yet
	count       int
}

const quietTogether = 3 // calls

func (q *quietCalls) write(c *ReplayCall, what, changes string) error {
	quiet := c.Handler == CallSlot && changes == "" && what == c.when()+":"
	if !quiet || q.count > 0 && c.slot != q.last+1 {
		if err := q.end(); err != nil {
			return err
		}
	}
	if quiet {
		if q.count == 0 {
			q.first = c.slot
		}
		q.last = c.slot
		q.count++
		return nil
	}
	_, err := fmt.Fprintln(q.out, what)
	if err == nil && changes != "" {
		_, err = fmt.Fprintf(q.out, "%s state: %s\n", c.when(), changes)
	}
	return err
}

func (q *quietCalls) end() (err error) {
	if q.count >= quietTogether {
		_, err = fmt.Fprintf(q.out, "slots %d to %d: no inputs, actions or changes\n", q.first, q.last)
		q.count = 0
	}
	for ; q.count > 0 && err == nil; q.count-- {
		_, err = fmt.Fprintf(q.out, "slot %d:\n", q.last+1-uint32(q.count))
	}
	q.count = 0
	return err
}

func (n *narrator) describe(c *ReplayCall) string {
	var line strings.Builder
	say := func(format string, values ...any) { fmt.Fprintf(&line, format, values...) }
	say("%s:", c.when())
	n.came(c, say)
	say(" ->")
	n.did(c, say)
	for _, e := range c.events {
		n.event(e, say)
	}
	for _, flag := range []struct {
		bit  uint8
		text string
	}{{nic.FlagDone, " done;"}, {nic.FlagTxOverflow, " TX overflow;"}} {
		if c.after.Flags&^c.before.Flags&flag.bit != 0 {
			say("%s", flag.text)
		}
	}
	if c.after.Flags&nic.FlagSleeping != 0 {
		say(" sleeps until slot %d;", c.slot+uint32(c.after.Wake-uint16(c.slot)))
	}
	switch {
	case c.Handler != CallSlot || c.Cost == 0:
	case c.Cost == firmware.CostGoesOn:
		say(" goes on in the next slot;")
	default:
		cycles := n.clock.Cycles(c.Cost)
		say(" %s;", traces.Plural(cycles, "cycle", "cycles"))
		if !n.clock.Resumes && n.clock.Budget > 0 && cycles > n.clock.Budget {
			say(" missed the slot: none of these actions reached its NIC;")
		}
	}
	return strings.TrimSuffix(strings.TrimSuffix(line.String(), ";"), " ->")
}

func (n *narrator) came(c *ReplayCall, say func(format string, values ...any)) {
	for lane, status := range c.before.RxStatus {
		if status != uint8(nic.StatusIdle) {
			say(" status%s %v;", laneText(lane, len(c.before.RxStatus)), nic.Status(status))
		}
	}
	for lane, status := range c.before.TxStatus {
		if status != uint8(nic.TxNone) {
			say(" transmit status%s %d", laneText(lane, len(c.before.TxStatus)), status)
			if served := c.before.Served[lane]; served != nic.AnyDestination {
				say(", served %d", served)
			}
			say(";")
		}
	}
	if c.before.Schedule != 0 {
		say(" schedule %#x;", c.before.Schedule)
	}
	taken := int(c.before.RxCount) - int(c.after.RxCount)
	for place, frame := range c.before.RxFrames(n.stride) {
		if place < taken {
			say(" received from %d: %s;", frame.Source(), frameText(frame))
		} else {
			say(" left in the RX FIFO, from %d: %s;", frame.Source(), frameText(frame))
		}
	}
	if c.after.TxCount < c.before.TxCount {
		say(" -> withdrew %d;", c.before.TxCount-c.after.TxCount)
	}
}

func (n *narrator) did(c *ReplayCall, say func(format string, values ...any)) {
	had := min(int(c.before.TxCount), int(c.after.TxCount))
	for _, frame := range c.after.TxFrames(n.stride)[had:] {
		say(" sends %s;", frameText(frame))
	}
	if listen := c.after.Listen; !slices.Equal(listen, c.before.Listen) {
		say(" hears %s;", portText(listen[int(c.slot)%len(listen)]))
	}
	for k, value := range c.probes {
		if k < len(n.probes) && value != n.values[k] {
			say(" %s=%d;", n.probes[k], value)
		}
	}
	n.values = c.probes
}

// event omits a result with an unchanged value.
func (n *narrator) event(e firmware.Event, say func(format string, values ...any)) {
	switch e.Kind {
	case firmware.EventTrap:
		say(" trapped in %s: %s;", cmp.Or(e.Function, "an unknown function"), e.Text)
	case firmware.EventFail:
		say(" gave up with code %s;", e.Text)
	case firmware.EventAssert:
		say(" assertion `%s` failed at %s;", e.Text, e.Source)
	case firmware.EventLog:
		say(" logged %q;", e.Text)
	case firmware.EventDeliver:
		say(" delivered the packet of %d;", e.Origin)
	case firmware.EventResult:
		word := int(e.Word)
		if was, again := n.written[word]; again && was == e.Value {
			return
		}
		n.written[word] = e.Value
		name := strconv.Itoa(word)
		if word < len(n.results) {
			name = n.results[word]
		}
		say(" result %s=%d;", name, int64(e.Value))
	}
}

func laneText(lane, lanes int) string {
	if lanes == 1 {
		return ""
	}
	return fmt.Sprintf(" of port %d", lane)
}

func portText(port uint16) string {
	switch port {
	case nic.PortNone:
		return "nothing"
	case nic.PortAll:
		return "all ports"
	}
	return fmt.Sprintf("port %d", port)
}

// the NIC writes the source when it sends the frame
func frameText(f nic.FrameView) string {
	text := f.Kind().String()
	if to := f.Destination(); to < 1<<31 {
		text += fmt.Sprintf(" to %d", to)
	}
	text += " on " + portText(f.Port())
	text += fmt.Sprintf(", tag %#x", f.Tag())
	if f.PayloadBytes() > 0 {
		text += fmt.Sprintf(", %s %x", traces.Plural(f.PayloadBytes(), "byte", "bytes"), f.Body())
	}
	return text
}
