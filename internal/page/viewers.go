package page

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"starloom/fabric/outcome"
	"starloom/traces/figure"
)

func filesOf(written []outcome.OutputFile) map[string]string {
	files := map[string]string{}
	for _, f := range written {
		if !f.Stream && f.Path != "" && f.Path != "-" {
			files[f.Kind] = outcome.ShellQuote(f.Path)
		}
	}
	return files
}

// look says how to open waveform and capture at a cycle: those that were written, else how to write them.
// Where faults have broken a rule, Surfer and Wireshark show the cycle in which they struck first.
func look(r *outcome.Report, written []outcome.OutputFile, v *outcome.Violation) *Section {
	files, steps := filesOf(written), []Step(nil)
	command, again := r.Aside.Command, []string(nil)
	with := func(kind, beside, option, path string) {
		if files[kind] == "" {
			again = append(again, option+" "+path)
			files[kind], files[beside] = path, strings.TrimSuffix(path, filepath.Ext(path))+"."+beside
		}
	}
	if files["vcd"] == "" {
		files["vcd"] = files["fst"]
	}
	if with("vcd", "gtkw", "--vcd", "run.vcd"); files["vcd"] == "run.vcd" && len(again) > 0 {
		files["sucl"] = "run.sucl"
	}
	with("pcapng", "lua", "--pcapng", "run.pcapng")
	if len(again) > 0 {
		if command == "" {
			return nil
		}
		steps = append(steps, Step{Text: "Write waveform and packet capture: the same run, so every cycle is the same.",
			Command: command + " " + strings.Join(again, " ")})
	}
	at := ""
	shown := lookAt(r, v)
	if v != nil {
		at = fmt.Sprintf(" at cycle %d", shown.cycle)
	}
	gtkw := files["gtkw"]
	if gtkw == "" {
		gtkw = files["vcd"]
	}
	steps = append(steps,
		Step{Text: shown.gtkwave + ":", Command: "gtkwave " + gtkw},
		Step{Text: "Surfer with the same signals" + at + ":", Command: surfer(files, shown.cycle)})
	if lua := files["lua"]; lua != "" {
		what, filter := "Wireshark, with all frames:", ""
		if shown.frames != "" {
			what, filter = "Wireshark, with the frames of "+shown.frames+":", fmt.Sprintf(" -Y 'starloom.slot == %d'", shown.slot)
		}
		words := fmt.Sprintf(" -t e -X lua_script:%s -r %s%s", lua, files["pcapng"], filter)
		steps = append(steps, Step{Text: what, Command: "wireshark" + words}, Step{Text: "The same in a terminal:", Command: "tshark" + words})
	}
	title := "Look at it in other tools"
	if v != nil {
		title = "Look at this cycle in other tools"
	}
	return &Section{Title: title, Blocks: []Block{{Steps: steps}}}
}

// moment is what other tools show of a run.
type moment struct {
	cycle   uint64 // at which they open
	gtkwave string // what GTKWave shows
	slot    uint64 // whose frames Wireshark shows...
	frames  string // ...and why, "" for all frames
}

// lookAt is what other tools show: where faults struck first that have broken a rule, where what was late was sent, or else where
// the first violation is, nil for none.
func lookAt(r *outcome.Report, v *outcome.Violation) moment {
	if v == nil {
		return moment{gtkwave: "GTKWave, with the signals arranged"}
	}
	cycle := min(v.Cycle, max(r.Cycles, 1)-1)
	fault, came := struck(r), crossed(r, v)
	switch {
	case fault != nil:
		m := moment{fault.Cycle, "", fault.Slot, fmt.Sprintf("slot %d, in which the faults struck first", fault.Slot)}
		m.gtkwave = fmt.Sprintf("GTKWave opens with its marker at cycle %d, where the faults struck first, and has others at their own and at the violations, "+
			"the first of these at cycle %d", fault.Cycle, cycle)
		return m
	case came != nil:
		return moment{came.Cycle, fmt.Sprintf("GTKWave opens with its marker, `%s`, at cycle %d, when the packet was sent, and has another, `%s`, at cycle %d, "+
			"by which it should have come", outcome.MarkerCame, came.Cycle, v.Rule, cycle),
			came.Crossed, fmt.Sprintf("slot %d, in which the packet was sent", came.Crossed)}
	}
	m := moment{cycle: cycle, slot: v.Slot, gtkwave: fmt.Sprintf("GTKWave opens with its marker at cycle %d", cycle)}
	if strings.Contains(v.Path, ".") {
		m.gtkwave += ", and what broke the rule at the top"
	}
	if !atEnd(r, v) { // else the end of the run has shown it, and it has no frames
		m.frames = "this slot"
	}
	return m
}

// surfer opens a waveform in Surfer, with its signals arranged if there is a file for that.
func surfer(files map[string]string, cycle uint64) string {
	if files["sucl"] != "" {
		return fmt.Sprintf("surfer --command-file %s %s", files["sucl"], files["vcd"])
	}
	return fmt.Sprintf("surfer %s    # and go to %d ns: a cycle is 1 ns", files["vcd"], cycle)
}

// FigureSVG draws a figure, nil if there is nothing to draw.
func FigureSVG(f *figure.Figure) []byte {
	var b bytes.Buffer
	if f == nil || f.WriteSVG(&b) != nil {
		return nil
	}
	return b.Bytes()
}

func titled(svg []byte, other string) string {
	_, rest, ok := bytes.Cut(svg, []byte("<title>"))
	title, _, whole := bytes.Cut(rest, []byte("</title>"))
	if !ok || !whole || len(title) == 0 {
		return other
	}
	return html.UnescapeString(string(title))
}

var widthOf = regexp.MustCompile(`^[^>]*\bwidth="([0-9.]+)`)

// sideBySide is up to which width two pictures may stand side by side, a little smaller than they are.
const sideBySide = 800

// Wide reports whether the picture needs the whole width.
func (p *Picture) Wide() bool {
	found := widthOf.FindSubmatch(p.SVG)
	if found == nil {
		return true
	}
	width, err := strconv.ParseFloat(string(found[1]), 64)
	return err != nil || width > sideBySide
}
