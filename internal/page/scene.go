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
	f, came := failure{r, v}, crossed(r, v)
	title := texts.Say("violation title", map[string]any{"R": r, "V": v, "Number": number, "Came": came})
	part := &Section{Title: title, ID: fmt.Sprintf("violation-%d", number)}
	part.Blocks = append(part.Blocks, text("%s: %s%s", capital(f.Where()), v.Text(), f.cause()))
	if lines := backtrace(v); lines != nil {
		part.Blocks = append(part.Blocks, Block{Text: "The handler was in these functions, the innermost first:"},
			Block{Lines: lines})
	}
	if v.Rule == fabric.RuleMeetsBudget {
		part.Blocks = append(part.Blocks, text("[The flame graph](#what-handlers-cost) shows where the longest call spent "+
			"its cycles."))
	}
	if came != nil {
		part.Blocks = append(part.Blocks, Block{Table: didTable(came)})
	}
	part.scene(r, s)
	return part
}

func didTable(came *outcome.LatestPath) *Table {
	t := table(fmt.Sprintf("Activity of processor %d until its packet for processor %d crossed.", came.From, came.To),
		"slots", "#how many", "what", "processors, slot by slot")
	for i := range came.Did {
		d := &came.Did[i]
		with := make([]string, len(d.With))
		for k, processor := range d.With {
			if with[k] = strconv.Itoa(processor); processor < 0 {
				with[k] = "anybody"
			}
		}
		what := texts.Say("did", d.What)
		if i == len(came.Did)-1 {
			what = "sent the late packet to"
		}
		t.row(strings.TrimLeft(d.Span(), "slots "), d.To-d.From+1, what, join(with))
	}
	return t
}

func faultPart(r *outcome.Report, s *outcome.Scene) *Section {
	part := &Section{Title: fmt.Sprintf("The fault %s at cycle %d", r.FaultName(s.Fault), s.Cycle),
		ID: fmt.Sprintf("fault-%d", s.Fault+1)}
	if set := r.Aside.Known.Faults; s.Fault < len(set) {
		part.Blocks = append(part.Blocks, text("Its settings: %s.", set[s.Fault]))
	}
	part.Blocks = append(part.Blocks, text("Its effects: %s.", r.Faults[s.Fault].Text()))
	part.scene(r, s)
	if s.Waves != nil &&
		slices.ContainsFunc(s.Waves.Rows, func(row traces.WaveRow) bool { return strings.Contains(row.Name, "_tapped.") }) {
		part.Blocks = append(part.Blocks, Block{Aside: texts.Say("tapped", nil)})
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

// faultsFirst reports whether the signals at the faults precede those at the violations: unless the first violation
// also happens without faults.
func faultsFirst(r *outcome.Report) bool { return r.Violations[0].Cause != outcome.CauseFirmware }

// shownBefore returns an earlier scene of the page with the same slot, place and frames, nil for none.
func shownBefore(r *outcome.Report, s *outcome.Scene) *outcome.Scene {
	var before []*outcome.Scene // in page order
	first := faultsFirst(r)
	for _, faults := range []bool{first, !first} {
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
		add(Block{Aside: "Without a change: " + join(s.Still) + "."})
	}
	about := struct {
		*outcome.Scene
		Known                       *outcome.Known
		At                          string
		Listed, Payload             bool
		Last, Flits, Hopped, Ackeds bool
		PayloadShown                int
	}{Scene: s, Known: &r.Aside.Known, At: s.Path, Listed: len(s.Frames) > 0, PayloadShown: payloadShown,
		Hopped: r.Aside.Known.Packets && slices.ContainsFunc(s.Trails, hopped), Ackeds: slices.ContainsFunc(s.Trails, acked),
		Payload: slices.ContainsFunc(s.Frames, func(x outcome.SceneFrame) bool { return len(x.Payload) > 0 }),
		Last:    len(s.Frames) > 0 && s.Frames[len(s.Frames)-1].Slot+2 < s.Slot,
		Flits: r.Firmware.Image == outcome.ImageNone || s.Violation >= 0 &&
			r.Violations[s.Violation].Rule == fabric.RuleDeadlock}
	if s.Sender != "" && s.Sender != s.Path {
		about.At += " and of " + s.Sender
	}
	asides := func(name string) {
		for _, line := range texts.Lines(name, about) {
			add(Block{Aside: line})
		}
	}
	add(Block{Table: framesTable(r, s.Frames, s.FramesLeft, texts.Say("frames caption", about))})
	asides("frames")
	for i := range s.Trails {
		trail := &s.Trails[i]
		add(Block{Table: framesTable(r, trail.Frames, trail.FramesLeft,
			"The way of "+packetWords(r, trail.Payload)+" through the run.")})
	}
	asides("trails")
}

func acked(t outcome.Trail) bool {
	return slices.ContainsFunc(t.Frames, func(x outcome.SceneFrame) bool { return x.Answers != nil })
}

// ackedLoss is a packet that was lost after its origin had received an ack for it.
type ackedLoss struct {
	From, Holder int
	To           uint32
	Heard, Met   uint64
	Back         bool // the holder is the destination, which received the packet in a frame for any processor
}

func ackedThenLost(r *outcome.Report, t *outcome.Trail) *ackedLoss {
	if !r.Aside.Known.Packets || len(t.Payload) < packetBytes || t.FramesLeft > 0 {
		return nil
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
			met, holder = -1, x.Processor // a retransmission
		case !x.Sent && x.Kind != "" && x.Answers == nil && uint32(x.Processor) == to && x.Destination == to:
			return nil
		}
	}
	if heard < 0 || met < heard {
		return nil
	}
	return &ackedLoss{from, holder, to, t.Frames[heard].Slot, t.Frames[met].Slot, holder == int(to)}
}

// hopped reports whether a packet's destination received it in a frame for another addressee.
func hopped(t outcome.Trail) bool {
	return len(t.Payload) >= packetBytes && slices.ContainsFunc(t.Frames, func(x outcome.SceneFrame) bool {
		to := binary.LittleEndian.Uint32(t.Payload[4:])
		return !x.Sent && x.Kind != "" && uint32(x.Processor) == to && x.Destination != to
	})
}

func sceneWaves(r *outcome.Report, s *outcome.Scene) *Waves {
	w := s.Waves
	waves := &Waves{Columns: w.Columns, Rows: w.Rows, Marked: w.Marked, Also: w.Decides,
		Caption: fmt.Sprintf("Signals around cycle %d: %s.", w.Columns[w.Marked], s.Path)}
	note := map[string]any{"Waves": w, "Marked": w.Columns[w.Marked], "Decides": w.Columns[w.Decides], "Slot": s.Decides,
		"End": s.Cycle > max(r.Cycles, 1)-1}
	waves.Note, waves.Legend = texts.Say("waves", note), texts.Say("waves legend", nil)
	return waves
}

func backtrace(v *outcome.Violation) (lines []string) {
	for _, frame := range v.Backtrace {
		lines = append(lines, frame.String())
		for _, line := range frame.Listing() {
			lines = append(lines, "    "+line)
		}
	}
	return lines
}

func framesTable(r *outcome.Report, frames []outcome.SceneFrame, left int, caption string) *Table {
	if len(frames) == 0 {
		return nil
	}
	t := table(caption, "#cycle", "#slot", "what", "port", "medium", "#from", "#to", "carries")
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
			from, to = fmt.Sprint(x.Source), destination(x.Destination)
		}
		t.row(x.Cycle, x.Slot, what, x.Path, x.Medium, from, to, carries(r, x))
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

// packetWords returns a description of the packet in a payload, if the run routes packets and the payload contains
// one.
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

// atEnd reports whether only the end of the run reveals the violation: its cycle is then the number of cycles.
func atEnd(r *outcome.Report, v *outcome.Violation) bool { return v.Cycle >= r.Cycles }

// crossed returns the path of a violation's late packet, nil unless it is the latest packet and its slot is known.
func crossed(r *outcome.Report, v *outcome.Violation) *outcome.LatestPath {
	late := r.Aside.Late
	if i := late.Of(r.Violations); i < 0 || &r.Violations[i] != v || !late.Worst.Known {
		return nil
	}
	return late.Worst
}
