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
	"starloom/internal/outcome"
	"starloom/nic"
	"starloom/traces"
)

// violationPart shows a violation with its scene, nil for none.
func violationPart(r *outcome.Report, number int, v *outcome.Violation, s *outcome.Scene) *Section {
	when := fmt.Sprintf("at cycle %d", v.Cycle)
	if atEnd(r, v) {
		when = "at the end of the run"
	}
	part := &Section{Title: fmt.Sprintf("%d. %s %s", number, v.Rule, when), ID: fmt.Sprintf("violation-%d", number)}
	part.Blocks = append(part.Blocks, text("%s: %s%s", capital(whereOf(r, v)), v.Message, causeOf(r, v)))
	if lines := backtrace(v); lines != nil {
		part.Blocks = append(part.Blocks, Block{Text: "The handler was in these functions, the innermost first:"}, Block{Lines: lines})
	}
	if v.Rule == fabric.RuleMeetsBudget {
		part.Blocks = append(part.Blocks, text("[The flame graph](#what-handlers-cost) says where the longest call spent its cycles."))
	}
	part.scene(r, s)
	return part
}

// faultPart shows where a fault struck first.
func faultPart(r *outcome.Report, s *outcome.Scene) *Section {
	name := r.FaultName(s.Fault)
	part := &Section{Title: fmt.Sprintf("The fault %s at cycle %d", name, s.Cycle), ID: fmt.Sprintf("fault-%d", s.Fault+1)}
	if set := r.Aside.Known.Faults; s.Fault < len(set) {
		part.Blocks = append(part.Blocks, text("It is set to this: %s.", set[s.Fault]))
	}
	part.Blocks = append(part.Blocks, text("It has done this: %s.", r.Faults[s.Fault].Text()))
	part.scene(r, s)
	if s.Waves != nil && slices.ContainsFunc(s.Waves.Rows, func(row traces.WaveRow) bool { return strings.Contains(row.Name, "_tapped.") }) {
		part.Blocks = append(part.Blocks, Block{Aside: "What the listeners get stands below `_tapped`: the fault lies before that."})
	}
	return part
}

// sceneID is the place of the page with a scene.
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

// within reports whether one path is the other, or below it.
func within(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// signalWords say what signals are which many processors have.
var signalWords = []struct{ signal, is string }{
	{"rx_port", "the port that the NIC hears"}, {"rx_status", "what its receiver says of the last slot"},
	{"held", "how many packets the firmware holds"}, {"flags", "what the firmware has told its NIC"},
}

// stillText lists signals that do not change, with what they are.
func stillText(still []string) string {
	text := "Without a change: " + join(still) + "."
	var words []string
	for _, w := range signalWords {
		if slices.ContainsFunc(still, func(s string) bool { return strings.Contains(s, "."+w.signal+" ") }) {
			words = append(words, "`"+w.signal+"` is "+w.is)
		}
	}
	if words != nil {
		text += " " + strings.Join(words, "; ") + "."
	}
	return text
}

// scene shows frames, packets and signals of a scene.
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
		add(Block{Waves: sceneWaves(s, max(r.Cycles, 1)-1)})
	} else if s.Unshown != "" {
		add(Block{Aside: "No waveform here: " + s.Unshown + "."})
	}
	if len(s.Still) > 0 {
		add(Block{Aside: stillText(s.Still)})
	}
	at := s.Path
	if s.Sender != "" {
		at += " and of " + s.Sender
	}
	caption := fmt.Sprintf("Frames at %s around slot %d.", at, s.Slot)
	if n := len(s.Frames); n > 0 && s.Frames[n-1].Slot+2 < s.Slot {
		caption = fmt.Sprintf("The last frames at %s before slot %d.", at, s.Slot)
	}
	if t := framesTable(r, s.Frames, s.FramesLeft, caption); t != nil {
		add(Block{Table: t})
	} else if s.Waves != nil || len(s.Still) > 0 {
		add(Block{Aside: fmt.Sprintf("No frame was sent or heard at %s around slot %d.", at, s.Slot)})
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

// sceneWaves is the timing diagram of a scene.
func sceneWaves(s *outcome.Scene, last uint64) *Waves {
	w := s.Waves
	waves := &Waves{Columns: w.Columns, Rows: w.Rows, Marked: w.Marked, Note: "This cycle is marked.",
		Caption: fmt.Sprintf("Signals around cycle %d: %s.", w.Columns[w.Marked], s.Path)}
	if s.Cycle > last {
		waves.Note = "The rule is broken at the end of the run, after its last cycle, which is marked."
	}
	if len(waves.gaps()) > 0 {
		waves.Note += " Dotted lines: cycles without a change are left out."
	}
	if w.SignalsLeft > 0 {
		waves.Note += fmt.Sprintf(" %s left out.", traces.Plural(uint64(w.SignalsLeft), "signal that changes, too, is", "signals that change, too, are"))
	}
	return waves
}

// backtrace are the functions that a handler was in.
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

// destination names whom a frame is for.
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

// carries is what is in a frame.
func carries(r *outcome.Report, x *outcome.SceneFrame) string {
	switch {
	case x.Kind == "":
		return ""
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

// packetName is the beginning of a payload.
func packetName(payload []byte) string {
	shown := payload[:min(len(payload), payloadShown)]
	name := hex.EncodeToString(shown)
	if len(shown) < len(payload) {
		name += "\u2026"
	}
	return name
}
