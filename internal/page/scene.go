package page

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/nic"
	"starloom/traces"
)

func violationPart(r *outcome.Report, number int, v *outcome.Violation, s *outcome.Scene) *Section {
	when := fmt.Sprintf("at cycle %d", v.Cycle)
	if atEnd(r, v) {
		when = "at the end of the run"
	}
	came := crossed(r, v)
	if came != nil {
		when = fmt.Sprintf("over at cycle %d, the packet sent at cycle %d", v.Cycle, came.Cycle)
	}
	part := &Section{Title: fmt.Sprintf("%d. %s %s", number, v.Rule, when), ID: fmt.Sprintf("violation-%d", number)}
	part.Blocks = append(part.Blocks, text("%s: %s%s", capital(whereOf(r, v)), v.Text(), causeOf(r, v)))
	if lines := backtrace(v); lines != nil {
		part.Blocks = append(part.Blocks, Block{Text: "The handler was in these functions, the innermost first:"}, Block{Lines: lines})
	}
	if v.Rule == fabric.RuleMeetsBudget {
		part.Blocks = append(part.Blocks, text("[The flame graph](#what-handlers-cost) says where the longest call spent its cycles."))
	}
	if came != nil {
		part.Blocks = append(part.Blocks, Block{Table: didTable(came)})
	}
	part.scene(r, s)
	return part
}

func didTable(came *outcome.LatestPath) *Table {
	t := &Table{Caption: fmt.Sprintf("What processor %d did until its packet for processor %d crossed.", came.From, came.To),
		Columns: []Column{{"slots", false}, {"how many", true}, {"what", false}, {"processors, slot by slot", false}}}
	for i := range came.Did {
		d := &came.Did[i]
		with := make([]string, len(d.With))
		for k, processor := range d.With {
			if with[k] = strconv.Itoa(processor); processor < 0 {
				with[k] = "anybody"
			}
		}
		what := map[outcome.Doing]string{outcome.DidHear: "heard frames of", outcome.DidWait: "waited for the output of its destination, with a frame for",
			outcome.DidSend: "sent frames to", outcome.DidNothing: "neither sent nor heard a frame"}[d.What]
		if i == len(came.Did)-1 {
			what = "sent the late packet to"
		}
		slots := strings.TrimPrefix(strings.TrimPrefix(d.Span(), "slots "), "slot ")
		t.Rows = append(t.Rows, []string{slots, strconv.FormatUint(d.To-d.From+1, 10), what, join(with)})
	}
	return t
}

func faultPart(r *outcome.Report, s *outcome.Scene) *Section {
	name := r.FaultName(s.Fault)
	part := &Section{Title: fmt.Sprintf("The fault %s at cycle %d", name, s.Cycle), ID: fmt.Sprintf("fault-%d", s.Fault+1)}
	if set := r.Aside.Known.Faults; s.Fault < len(set) {
		part.Blocks = append(part.Blocks, text("It is set to this: %s.", set[s.Fault]))
	}
	part.Blocks = append(part.Blocks, text("It has done this: %s.", r.Faults[s.Fault].Text()))
	part.scene(r, s)
	if s.Waves != nil && slices.ContainsFunc(s.Waves.Rows, func(row traces.WaveRow) bool { return strings.Contains(row.Name, "_tapped.") }) {
		part.Blocks = append(part.Blocks, Block{Aside: "What the listeners get stands below `_tapped`: the fault lies before that, " +
			"and the marked cycle is the first in which it shows."})
	}
	return part
}

func sceneID(r *outcome.Report, s *outcome.Scene) (id, title string) {
	if s.Violation < 0 {
		return fmt.Sprintf("fault-%d", s.Fault+1), "the fault " + r.FaultName(s.Fault)
	}
	number := 1
	for i := range r.Aside.Scenes {
		if &r.Aside.Scenes[i] == s {
			break
		}
		if r.Aside.Scenes[i].Violation >= 0 {
			number++
		}
	}
	return fmt.Sprintf("violation-%d", number), strconv.Itoa(number)
}

// shownBefore is a scene that stands before another on the page and shows the same: the same slot and place, and the same frames.
func shownBefore(r *outcome.Report, s *outcome.Scene) *outcome.Scene {
	var before []*outcome.Scene // in the order of the page: faults come first
	for _, faults := range []bool{true, false} {
		for i := range r.Aside.Scenes {
			if o := &r.Aside.Scenes[i]; (o.Violation < 0) == faults {
				before = append(before, o)
			}
		}
	}
	for _, o := range before[:slices.Index(before, s)] {
		if o.Slot == s.Slot && within(o.Path, s.Path) && o.Sender == s.Sender && reflect.DeepEqual(o.Frames, s.Frames) {
			return o
		}
	}
	return nil
}

func within(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

var signalWords = []struct{ signal, is string }{
	{"rx_port", "the port that the NIC hears"}, {"rx_status", "what its receiver says of the last slot"},
	{"held", "how many packets the firmware holds"}, {"flags", "what the firmware has told its NIC"},
	{"rx.state", "what its receiver does in this cycle; `violated`: frames of several senders have met, and none can be read"},
	{"rx.bits", "how many bits of a frame it has received"},
	{txPort, "the port at which the NIC sends"}, {"tx.length", "how many bytes its frame has"},
	{"tx.tag", "a number that firmware gives its frame"}, {"tx.served", "the processor whose output has taken its last frame"},
}

// txPort is a signal with another meaning in a crossbar.
const txPort = "tx.port"

func stillText(still []string, known *outcome.Known) string {
	return "Without a change: " + join(still) + "." + wordsText(known, func(signal string) bool {
		return slices.ContainsFunc(still, func(s string) bool { return strings.Contains(s, "."+signal+" ") })
	})
}

// wordsText says what those of signals are that are shown, "" for none.
func wordsText(known *outcome.Known, shown func(signal string) bool) string {
	var words []string
	for _, w := range signalWords {
		switch {
		case !shown(w.signal):
		case w.signal == txPort && known.Outputs:
			words = append(words, "`tx.port` is the number of the output that the frame is for; the NIC itself has one port, `port[0]`")
		default:
			words = append(words, "`"+w.signal+"` is "+w.is)
		}
	}
	if words == nil {
		return ""
	}
	return " " + strings.Join(words, "; ") + "."
}

func (part *Section) scene(r *outcome.Report, s *outcome.Scene) {
	if s == nil {
		return
	}
	add := func(b Block) { part.Blocks = append(part.Blocks, b) }
	if before := shownBefore(r, s); before != nil {
		id, title := sceneID(r, before)
		add(text("Signals and frames of this slot stand at [%s](#%s).", title, id))
		return
	}
	if s.Waves != nil {
		add(Block{Waves: sceneWaves(r, s)})
	} else if s.Unshown != "" {
		add(Block{Aside: "No waveform here: " + s.Unshown + "."})
	}
	if len(s.Still) > 0 {
		add(Block{Aside: stillText(s.Still, &r.Aside.Known)})
	}
	at := s.Path
	if s.Sender != "" && s.Sender != s.Path {
		at += " and of " + s.Sender
	}
	caption := fmt.Sprintf("Frames at %s around slot %d.", at, s.Slot)
	if n := len(s.Frames); n > 0 && s.Frames[n-1].Slot+2 < s.Slot {
		caption = fmt.Sprintf("The last frames at %s before slot %d.", at, s.Slot)
	}
	if t := framesTable(r, s.Frames, s.FramesLeft, caption); t != nil {
		add(Block{Table: t})
		if slices.ContainsFunc(s.Frames, func(x outcome.SceneFrame) bool { return len(x.Payload) > 0 }) {
			add(Block{Aside: fmt.Sprintf("Hexadecimal digits are the payload, its first %d bytes at most, in the order in which they are sent; "+
				"the lowest byte of a number comes first.", payloadShown)})
		}
	} else if r.Firmware.Image == outcome.ImageNone || s.Violation >= 0 && r.Violations[s.Violation].Rule == fabric.RuleDeadlock {
		add(Block{Aside: "Frames are not listed between routers: the signals show their flits."})
	} else if s.Waves != nil || len(s.Still) > 0 {
		add(Block{Aside: fmt.Sprintf("%s has sent and heard no frame around slot %d; one for it may have been sent elsewhere.", at, s.Slot)})
	}
	if r.Aside.Known.Packets && slices.ContainsFunc(s.Trails, hopped) {
		add(Block{Aside: "A processor that hears a frame for anybody has a packet on its way, even if it is for this processor: it arrives when it " +
			"comes in a frame that is for its destination."})
	}
	if slices.ContainsFunc(s.Trails, acked) {
		add(Block{Aside: "An ack carries no packet: it is taken for one of the packet that its sender heard last, in a data frame or in an ack that it passes on."})
	}
	for i := range s.Trails {
		trail := &s.Trails[i]
		add(Block{Table: framesTable(r, trail.Frames, trail.FramesLeft, "The way of "+packetWords(r, trail.Payload)+" through the run.")})
	}
	if s.Untrailed != "" {
		add(Block{Aside: "Packets are not followed: " + s.Untrailed + "."})
	}
	if s.TrailsLeft > 0 {
		add(Block{Aside: traces.Plural(uint64(s.TrailsLeft), "packet of this slot is", "packets of this slot are") + " not followed here."})
	}
}

func acked(t outcome.Trail) bool {
	return slices.ContainsFunc(t.Frames, func(x outcome.SceneFrame) bool { return x.Answers != nil })
}

// ackedText says that a packet was lost after the processor it comes from had heard an ack of it, "" if that is not so.
func ackedText(r *outcome.Report, t *outcome.Trail) string {
	if !r.Aside.Known.Packets || len(t.Payload) < packetBytes || t.FramesLeft > 0 {
		return ""
	}
	from, heard, met, holder := int(binary.LittleEndian.Uint32(t.Payload)), -1, -1, -1
	to := binary.LittleEndian.Uint32(t.Payload[4:])
	for i := range t.Frames {
		x := &t.Frames[i]
		switch {
		case !x.Sent && x.Answers != nil && x.Processor == from && x.Kind != "":
			heard = i
		case !x.Sent && x.Kind == "" && strings.HasPrefix(x.Status, nic.StatusCollision.String()):
			met = i
		case x.Sent && x.Answers == nil:
			met, holder = -1, x.Processor // it is sent again
		case !x.Sent && x.Kind != "" && x.Answers == nil && uint32(x.Processor) == to && x.Destination == to:
			return ""
		}
	}
	if heard < 0 || met < heard {
		return ""
	}
	at, on := fmt.Sprintf("at processor %d", holder), "sends it on"
	if holder == int(to) {
		at += ", which has heard it in a frame for anybody, to pass it on: a packet has arrived only when it comes in a frame for its destination"
		on = "sends it to itself"
	}
	return fmt.Sprintf("Processor %d hears an ack of its packet for %d in slot %d. The packet is still on its way, %s. "+
		"In slot %d processor %d %s, it meets another frame, and no one sends it again.",
		from, to, t.Frames[heard].Slot, at, t.Frames[met].Slot, holder, on)
}

// hopped reports whether whom a packet is for has heard it in a frame that was not for it.
func hopped(t outcome.Trail) bool {
	return len(t.Payload) >= packetBytes && slices.ContainsFunc(t.Frames, func(x outcome.SceneFrame) bool {
		to := binary.LittleEndian.Uint32(t.Payload[4:])
		return !x.Sent && x.Kind != "" && uint32(x.Processor) == to && x.Destination != to
	})
}

func sceneWaves(r *outcome.Report, s *outcome.Scene) *Waves {
	w, last := s.Waves, max(r.Cycles, 1)-1
	waves := &Waves{Columns: w.Columns, Rows: w.Rows, Marked: w.Marked, Also: w.Decides, Note: "This cycle is marked.",
		Caption: fmt.Sprintf("Signals around cycle %d: %s.", w.Columns[w.Marked], s.Path)}
	if s.Cycle > last {
		waves.Note = "The rule is broken at the end of the run, after its last cycle, which is marked."
	}
	if w.Decides > 0 {
		waves.Note = fmt.Sprintf("Two cycles are marked: %d, and %d, where slot %d begins, which decides: the handler is not called there, "+
			"so what was due does not happen.", w.Columns[w.Marked], w.Columns[w.Decides], *s.Decides)
	}
	if len(waves.gaps()) > 0 {
		waves.Note += " Dotted lines: cycles without a change are left out."
	}
	if w.SignalsLeft > 0 {
		waves.Note += fmt.Sprintf(" %s left out.", traces.Plural(uint64(w.SignalsLeft), "signal that changes, too, is", "signals that change, too, are"))
	}
	waves.Note += " Numbers are hexadecimal, but those of slot, held and flits."
	waves.Note += wordsText(&r.Aside.Known, func(signal string) bool {
		return slices.ContainsFunc(w.Rows, func(row traces.WaveRow) bool { return strings.HasSuffix(row.Name, "."+signal) })
	})
	return waves
}

func backtrace(v *outcome.Violation) (lines []string) {
	for _, frame := range v.Backtrace {
		lines = append(lines, frame.String())
	}
	return lines
}

// framesTable lists frames, nil for none.
func framesTable(r *outcome.Report, frames []outcome.SceneFrame, left int, caption string) *Table {
	if len(frames) == 0 {
		return nil
	}
	t := &Table{Caption: caption, Columns: []Column{{"cycle", true}, {"slot", true}, {"what", false}, {"port", false}, {"medium", false},
		{"from", true}, {"to", true}, {"carries", false}}}
	if left > 0 {
		t.Left = traces.Plural(uint64(left), "frame is", "frames are") + " left out."
	}
	for i := range frames {
		x := &frames[i]
		what, from, to := "sent", "", ""
		if !x.Sent {
			what = "heard: " + x.Status
		}
		if x.Kind != "" {
			from, to = strconv.FormatUint(uint64(x.Source), 10), destination(x.Destination)
		}
		t.Rows = append(t.Rows, []string{strconv.FormatUint(x.Cycle, 10), strconv.FormatUint(x.Slot, 10), what, x.Path, x.Medium, from, to, carries(r, x)})
	}
	return t
}

func destination(to uint32) string {
	switch to {
	case nic.AnyDestination:
		return "anybody"
	case nic.ListedDestination:
		return "its list"
	}
	return strconv.FormatUint(uint64(to), 10)
}

// payloadShown is how many bytes of a payload are shown.
const payloadShown = 12

func carries(r *outcome.Report, x *outcome.SceneFrame) string {
	switch {
	case x.Kind == "":
		return ""
	case len(x.Payload) == 0 && x.Answers != nil && r.Aside.Known.Packets:
		return x.Kind + " of " + packetWords(r, x.Answers)
	case len(x.Payload) == 0:
		return x.Kind
	}
	if x.Kind != nic.KindData.String() {
		return x.Kind + " " + packetName(x.Payload)
	}
	return x.Kind + ": " + packetWords(r, x.Payload)
}

// packetBytes is the length of an sl_packet: origin and destination.
const packetBytes = 8

// packetWords say whose packet is in a payload, if the run routes packets and this can be one.
func packetWords(r *outcome.Report, payload []byte) string {
	if r.Aside.Known.Packets && len(payload) >= packetBytes {
		from, to := binary.LittleEndian.Uint32(payload), binary.LittleEndian.Uint32(payload[4:])
		if count := uint32(r.Aside.Known.Count); from < count && (to < count || to == nic.AnyDestination) {
			return fmt.Sprintf("the packet of %d for %s (%s)", from, destination(to), packetName(payload))
		}
	}
	return packetName(payload)
}

func packetName(payload []byte) string {
	shown := payload[:min(len(payload), payloadShown)]
	name := hex.EncodeToString(shown)
	if len(shown) < len(payload) {
		name += "\u2026"
	}
	return name
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// atEnd reports whether only the end of the run has shown a violation: it has the number of the cycle after the last one.
func atEnd(r *outcome.Report, v *outcome.Violation) bool { return v.Cycle >= r.Cycles }

func whereOf(r *outcome.Report, v *outcome.Violation) string {
	if !atEnd(r, v) {
		return v.Where()
	}
	text := "at the end of the run"
	if r.Slots > 0 {
		text += fmt.Sprintf(", after slot %d, cycle %d", r.Slots-1, r.Cycles-1)
	}
	return text + placeText(r, v)
}

func placeText(r *outcome.Report, v *outcome.Violation) string {
	switch {
	case v.Path == "":
		return ""
	case v.Rule == fabric.RuleFinishes && !strings.Contains(v.Path, "."):
		return ", all processors"
	}
	return ", " + v.Path
}

func noticed(r *outcome.Report, v *outcome.Violation) string {
	text := whereOf(r, v)
	if !strings.HasPrefix(text, "at ") {
		text = "at " + text
	}
	if v.Rule == fabric.RuleNoLoss && !atEnd(r, v) {
		text += ", when the frame was to arrive"
	}
	return text
}
