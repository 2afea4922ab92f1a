package page

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"starloom/fabric"
	"starloom/internal/outcome"
	"starloom/nic"
	"starloom/traces"
)

// violationPart shows a violation with its scene, nil for none.
func violationPart(number int, v *outcome.Violation, s *outcome.Scene, last uint64) *Section {
	part := &Section{Title: fmt.Sprintf("%d. %s at cycle %d", number, v.Rule, v.Cycle), ID: fmt.Sprintf("violation-%d", number)}
	part.Blocks = append(part.Blocks, text("%s: %s%s", v.Where(), v.Message, causeOf(v)))
	if lines := backtrace(v); lines != nil {
		part.Blocks = append(part.Blocks, Block{Text: "The handler was in these functions, the innermost first:"}, Block{Lines: lines})
	}
	if v.Rule == fabric.RuleMeetsBudget {
		part.Blocks = append(part.Blocks, text("[The flame graph](#what-handlers-cost) says where the longest call spent its cycles."))
	}
	part.scene(s, last)
	return part
}

// faultPart shows where a fault struck first.
func faultPart(r *outcome.Report, s *outcome.Scene, last uint64) *Section {
	f := &r.Faults[s.Fault]
	part := &Section{Title: fmt.Sprintf("The fault %s at cycle %d", f.Kind, s.Cycle), ID: fmt.Sprintf("fault-%d", s.Fault+1)}
	part.Blocks = append(part.Blocks, text("%s has done this: %s.", f.Kind, f.Text()))
	part.scene(s, last)
	return part
}

// scene shows frames, packets and signals of a scene; last is the last cycle of the run.
func (part *Section) scene(s *outcome.Scene, last uint64) {
	if s == nil {
		return
	}
	add := func(b Block) { part.Blocks = append(part.Blocks, b) }
	if s.Waves != nil {
		add(Block{Waves: sceneWaves(s, last)})
	} else if s.Unshown != "" {
		add(Block{Aside: "No waveform here: " + s.Unshown + "."})
	}
	if len(s.Still) > 0 {
		add(Block{Aside: "Without a change: " + join(s.Still) + "."})
	}
	caption := fmt.Sprintf("Frames at %s around slot %d.", s.Path, s.Slot)
	if n := len(s.Frames); n > 0 && s.Frames[n-1].Slot+2 < s.Slot {
		caption = fmt.Sprintf("The last frames at %s before slot %d.", s.Path, s.Slot)
	}
	if t := framesTable(s.Frames, s.FramesLeft, caption); t != nil {
		add(Block{Table: t})
	} else if s.Waves != nil || len(s.Still) > 0 {
		add(Block{Aside: fmt.Sprintf("No frame was sent or heard at %s around slot %d.", s.Path, s.Slot)})
	}
	for i := range s.Trails {
		trail := &s.Trails[i]
		add(Block{Table: framesTable(trail.Frames, trail.FramesLeft, "The way of the packet "+packetName(trail.Payload)+" through the run.")})
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

// causeOf says whose a violation is, in a run with faults.
func causeOf(v *outcome.Violation) string {
	switch v.Cause {
	case outcome.CauseFaults:
		return " - only with the faults: without them this does not happen"
	case outcome.CauseFirmware:
		return " - without the faults, too: the firmware does this by itself"
	case outcome.CauseUnclear:
		return " - without the faults the rule is broken here, too, but in another way"
	}
	return ""
}

// backtrace are the functions that a handler was in.
func backtrace(v *outcome.Violation) (lines []string) {
	for _, frame := range v.Backtrace {
		lines = append(lines, frame.String())
	}
	return lines
}

// framesTable lists frames, nil for none.
func framesTable(frames []outcome.SceneFrame, left int, caption string) *Table {
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
		t.Rows = append(t.Rows, []string{strconv.FormatUint(x.Cycle, 10), strconv.FormatUint(x.Slot, 10), what, x.Path, x.Medium, from, to, carries(x)})
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
func carries(x *outcome.SceneFrame) string {
	switch {
	case x.Kind == "":
		return ""
	case len(x.Payload) == 0:
		return x.Kind
	}
	return x.Kind + " " + packetName(x.Payload)
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
