package page

import (
	"cmp"
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/fabric/outcome"
	"starloom/traces"
)

// Lockstep returns the page of RTL beside its model: of a pin map, or of the component at path in a scenario. subject
// is the argument of `starloom cosim check`, and pinMap the argument that repeats the inputs of the case. written
// lists the other output files.
func Lockstep(r *lockstep.Report, path, subject, pinMap string, written []outcome.OutputFile) *Page {
	p := &Page{Subject: "cosim check", Name: r.Title(), Verdict: outcome.VerdictPass}
	if path != "" {
		p.Name = path + ": " + p.Name
	}
	command := "starloom cosim check " + subject
	d := r.Divergence
	if d == nil {
		p.Summary = fmt.Sprintf("No difference found in %s, with %s.", r.ComparedText(), r.InputsText())
		p.Answers = Passed(nil, Block{Text: "Nothing differs. This command repeats the " +
			"check:"}, Block{Command: command}, untold(r))
	} else {
		p.Verdict = outcome.VerdictFail
		p.Summary = fmt.Sprintf("The RTL differs from its model in cycle %d.", d.Cycle) + RightText(r)
		p.Cause = texts.Say("differs cause", map[string]any{"D": d, "Bits": asBits(d)})
		p.Answers = lockstepAnswers(r, path, command, pinMap, written)
	}
	p.add(shownSection(r))
	rows := [][2]string{
		{"RTL", r.Top}, {"its files", strings.Join(baseNames(r.Files), ", ")},
		{"backend", r.Backend}, {"model", r.Model}, {"pin map", r.Map}, {"outputs compared", r.ComparedText()},
		{"inputs", r.InputsText()}, {"cycles of all runs", fmt.Sprint(r.Cycles)}, {"runs", fmt.Sprint(r.Runs)},
	}
	for _, line := range r.Contract.Lines() {
		rows = append(rows, [2]string{"contract", line})
	}
	p.Add("What was compared", About("What was compared.", rows...),
		Block{Text: "This command repeats the check:"}, Block{Command: command})
	p.add(gapsSection(r))
	return p
}

// RightText returns a sentence about the model's behaviour, "" if unknown.
func RightText(r *lockstep.Report) string { return texts.Say("right", r) }

func untold(r *lockstep.Report) Block {
	if len(r.Unexercised) == 0 {
		return Block{}
	}
	return Block{Aside: "Behaviour that the inputs never exercised [was not compared](#what-was-not-compared)."}
}

func lockstepAnswers(r *lockstep.Report, path, command, pinMap string, written []outcome.OutputFile) []Answer {
	files := filesOf(written)
	saved := files["vcd"] != ""
	if !saved {
		files["vcd"], files["gtkw"], files["save"] = "check.vcd", "check.gtkw", "check.csv"
	}
	again := ""
	if files["save"] != "" && !strings.Contains(command, "--stimulus") && (path == "" || r.Map != "") {
		again = fmt.Sprintf("starloom cosim check %s --stimulus %s%s", pinMap, files["save"], r.Replay())
	}
	differs := map[string]any{"R": r, "D": r.Divergence, "Path": path, "Bits": asBits(r.Divergence),
		"Files": baseNames(r.Files), "Saved": saved,
		"GTKW": cmp.Or(files["gtkw"], files["vcd"]), "Command": command, "Again": again}
	return Failed(texts.Lines("differs", differs), texts.Lines("differs where", differs), nil, nil,
		texts.Steps("differs next", differs)...)
}

const bitsShown = 16

// asBits returns both values in binary, "" above 16 bits or for single bits.
func asBits(d *lockstep.Divergence) string {
	model, err := strconv.ParseUint(d.Model, 16, bitsShown)
	rtl, err2 := strconv.ParseUint(d.RTL, 16, bitsShown)
	if err != nil || err2 != nil || max(model, rtl) < 2 {
		return ""
	}
	width := bits.Len64(model | rtl)
	return fmt.Sprintf(" In binary: the model %0*b, the RTL %0*b.", width, model, width, rtl)
}

func baseNames(files []string) (names []string) {
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	return names
}

func shownSection(r *lockstep.Report) *Section {
	if r.Shown == nil {
		return nil
	}
	d := r.Shown.Drawing()
	if len(d.Columns) == 0 {
		return nil
	}
	if at := r.Divergence; at != nil && len(at.Pins) > 0 && join(at.Pins) != at.Signal { // the RTL's name of the signal
		for i := range d.Rows {
			if row := &d.Rows[i]; row.Name == "rtl."+at.Signal {
				row.Name += " (" + join(at.Pins) + ")"
			}
		}
	}
	s := &Section{Title: "Waveform"}
	caption := fmt.Sprintf("Model and RTL, cycles %d to %d.", d.Columns[0], d.Columns[len(d.Columns)-1])
	waves := &Waves{Caption: caption, Columns: d.Columns, Rows: d.Rows, Marked: d.Marked}
	if waves.Note = "An output listed once is equal in both."; d.Marked >= 0 {
		waves.Note += " The first cycle in which they differ is marked"
		if slices.ContainsFunc(d.Rows, func(row traces.WaveRow) bool { return row.Name == "reset" }) {
			waves.Note += "; cycles with reset are not compared"
		}
		waves.Note += "."
	}
	waves.Note += " Numbers are hexadecimal."
	s.Blocks = append(s.Blocks, Block{Waves: waves})
	if len(d.Still) > 0 {
		s.Blocks = append(s.Blocks, Block{Aside: "Without a change: " + join(d.Still) + "."})
	}
	if r.Divergence != nil && r.Divergence.Printed != "" {
		s.Blocks = append(s.Blocks, Block{Text: "The RTL has printed:"},
			Block{Lines: strings.Split(strings.TrimRight(r.Divergence.Printed, "\n"), "\n")})
	}
	return s
}

func gapsSection(r *lockstep.Report) *Section {
	s := &Section{Title: "What was not compared"}
	if r.Divergence != nil {
		took := traces.Plural(r.Cycles, "cycle", "cycles")
		s.Blocks = append(s.Blocks, text("The check ended at the first difference, after %s: later cycles were not "+
			"compared.", took))
	}
	if len(r.Tied) > 0 {
		s.Blocks = append(s.Blocks, text("T%s.", strings.TrimPrefix(pinmap.TiedText(r.Tied), "t")))
	}
	if len(r.Unexercised) > 0 {
		s.Blocks = append(s.Blocks, text("Inputs not fully exercised: %s.", lockstep.GapsText(r.Unexercised)))
	}
	if len(r.Warnings) > 0 {
		t := table("Tool warnings that affect the verdict.", "place", "code", "text")
		for _, w := range r.Warnings {
			t.row(w.Place, w.Code, w.Text)
		}
		s.Blocks = append(s.Blocks, Block{Table: t})
	}
	return s
}
