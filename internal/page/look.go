package page

import (
	"fmt"
	"path/filepath"
	"strings"

	"starloom/internal/outcome"
)

// files are the files of a run by kind, as a shell takes them.
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
	command, cycle, again := r.Aside.Command, uint64(0), []string(nil)
	if v != nil {
		cycle = min(v.Cycle, max(r.Cycles, 1)-1)
	}
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
		steps = append(steps, Step{"Write waveform and packet capture: the same run, so every cycle is the same.", command + " " + strings.Join(again, " ")})
	}
	at := ""
	if v != nil {
		at = fmt.Sprintf(" at cycle %d", cycle)
	}
	before, fault := ":", struck(r)
	if fault != nil && v != nil && fault.Cycle < cycle {
		before = fmt.Sprintf("; the faults struck first at cycle %d:", fault.Cycle)
	}
	gtkw := files["gtkw"]
	if gtkw == "" {
		gtkw = files["vcd"]
	}
	steps = append(steps,
		Step{gtkwave(v, cycle) + before, "gtkwave " + gtkw},
		Step{"Surfer with the same signals" + at + ":", surfer(files, cycle)})
	if lua := files["lua"]; lua != "" {
		what, filter := "Wireshark, with all frames:", ""
		switch {
		case fault != nil:
			what = fmt.Sprintf("Wireshark, with the frames of slot %d, in which the faults struck first:", fault.Slot)
			filter = fmt.Sprintf(" -Y 'starloom.slot == %d'", fault.Slot)
		case v != nil && !atEnd(r, v): // else the end of the run has shown it, and it has no frames
			what, filter = "Wireshark, with the frames of this slot:", fmt.Sprintf(" -Y 'starloom.slot == %d'", v.Slot)
		}
		words := fmt.Sprintf(" -X lua_script:%s -r %s%s", lua, files["pcapng"], filter)
		steps = append(steps, Step{what, "wireshark" + words}, Step{"The same in a terminal:", "tshark" + words})
	}
	title := "Look at it in other tools"
	if v != nil {
		title = "Look at this cycle in other tools"
	}
	return &Section{Title: title, Blocks: []Block{{Steps: steps}}}
}

// gtkwave says what GTKWave shows.
func gtkwave(v *outcome.Violation, cycle uint64) string {
	if v == nil {
		return "GTKWave, with the signals arranged"
	}
	if !strings.Contains(v.Path, ".") {
		return fmt.Sprintf("GTKWave opens with its marker at cycle %d", cycle)
	}
	return fmt.Sprintf("GTKWave opens with its marker at cycle %d, and what broke the rule at the top", cycle)
}

// surfer opens a waveform in Surfer, with its signals arranged if there is a file for that.
func surfer(files map[string]string, cycle uint64) string {
	if files["sucl"] != "" {
		return fmt.Sprintf("surfer --command-file %s %s", files["sucl"], files["vcd"])
	}
	return fmt.Sprintf("surfer %s    # and go to %d ns: a cycle is 1 ns", files["vcd"], cycle)
}
