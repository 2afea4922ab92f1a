package page

import (
	"bytes"
	"cmp"
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

// look returns the commands that open waveform and capture at the violation, and the options that write missing ones.
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
		steps = append(steps, Step{Text: "Write the waveform and the packet capture of the same run, identical in every " +
			"cycle.",
			Command: command + " " + strings.Join(again, " ")})
	}
	shown := lookAt(r, v)
	steps = append(steps,
		texts.Steps("look",
			map[string]any{"At": shown, "GTKW": cmp.Or(files["gtkw"], files["vcd"]), "Surfer": surfer(files, shown.Cycle),
				"Lua": files["lua"], "Capture": files["pcapng"]})...)
	title := "Look at it in other tools"
	if v != nil {
		title = "Look at this cycle in other tools"
	}
	return &Section{Title: title, Blocks: []Block{{Steps: steps}}}
}

// moment is the time shown in other tools: the first effect of the faults that caused the failure, the crossing of a
// late packet, or the violation.
type moment struct {
	*outcome.Violation
	Cycle  uint64 // cycle of the marker
	Slot   uint64 // slot of Wireshark's filter; none if AtEnd
	Broken uint64 // cycle of the violation
	Came   *outcome.LatestPath
	Fault  *outcome.FaultFirst
	AtEnd  bool
}

func lookAt(r *outcome.Report, v *outcome.Violation) (m moment) {
	if v == nil {
		return moment{AtEnd: true}
	}
	m = moment{Violation: v, Slot: v.Slot, Broken: min(v.Cycle, max(r.Cycles, 1)-1), Came: crossed(r, v),
		Fault: struck(r), AtEnd: atEnd(r, v)}
	switch m.Cycle = m.Broken; {
	case m.Fault != nil:
		m.Cycle, m.Slot, m.AtEnd = m.Fault.Cycle, m.Fault.Slot, false
	case m.Came != nil:
		m.Cycle, m.Slot, m.AtEnd = m.Came.Cycle, m.Came.Crossed, false
	}
	return m
}

// surfer returns the command that opens a waveform in Surfer, with arranged signals if a file lists them.
func surfer(files map[string]string, cycle uint64) string {
	if files["sucl"] != "" {
		return fmt.Sprintf("surfer --command-file %s %s", files["sucl"], files["vcd"])
	}
	return fmt.Sprintf("surfer %s    # and go to %d ns: a cycle is 1 ns", files["vcd"], cycle)
}

// FigureSVG draws a figure, nil for an empty one.
func FigureSVG(f *figure.Figure) []byte {
	var b bytes.Buffer
	if f == nil || f.WriteSVG(&b) != nil {
		return nil
	}
	return b.Bytes()
}

// FigurePicture draws a figure for a screen and for a phone, nil for an empty one.
func FigurePicture(caption string, f *figure.Figure) *Picture {
	wide := FigureSVG(f)
	if wide == nil {
		return nil
	}
	narrow := *f
	narrow.Width = figure.WidthNarrow
	return &Picture{Caption: caption, SVG: wide, Narrow: FigureSVG(&narrow)}
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

// sideBySide is the maximum width of pictures that are placed side by side, slightly reduced.
const sideBySide = 800

// Wide reports whether the picture requires the whole width.
func (p *Picture) Wide() bool {
	found := widthOf.FindSubmatch(p.SVG)
	if found == nil {
		return true
	}
	width, err := strconv.ParseFloat(string(found[1]), 64)
	return err != nil || width > sideBySide
}
