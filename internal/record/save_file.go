package record

import (
	"cmp"
	"path/filepath"
	"slices"

	"starloom/fabric/outcome"
	"starloom/internal/outputs"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/vcd"
)

type saveFile struct {
	vcd.SaveFile
	file   *traces.File // nil for none
	struck []vcd.Marker // where faults that have broken a rule struck first, and what was late crossed
	surfer *traces.File // nil for none
	main   string       // the marker at which both open, "" for the first one
}

// openSaveFile opens the save file that goes with the waveform, nil without one. It names it by its base
// name: what goes to writers is called after the scenario.
func openSaveFile(scenario string, o Options, out *outputs.Set) (*saveFile, error) {
	if !o.VCD.Given() {
		if o.GTKW.Given() {
			return nil, &input.Error{
				Place: "RecordOptions.GTKW", Reason: "a save file arranges a waveform, and there is none", Remedy: "set VCD, too",
			}
		}
		return nil, nil
	}
	to := o.VCD.Beside(o.GTKW, ".gtkw")
	file, err := out.Open("--vcd", "gtkw", to)
	vcdPath, savePath := o.VCD.Path, to.Path
	switch name := filepath.Base(scenario); {
	case vcdPath == "" && savePath == "":
		vcdPath, savePath = name+".vcd", name+".gtkw"
	case vcdPath == "":
		vcdPath = outputs.WithExtension(savePath, ".vcd")
	case savePath == "":
		savePath = outputs.WithExtension(vcdPath, ".gtkw")
	}
	if err != nil {
		return nil, err
	}
	surfer, err := out.Open("--vcd", "sucl", o.VCD.Beside(outputs.Output{}, ".sucl"))
	return &saveFile{SaveFile: vcd.SaveFile{Path: savePath, VCD: vcdPath}, file: file, surfer: surfer}, err
}

// write writes what there is of both: the slot and what has broken rules come first, with markers where
// they did and where faults struck first that have brought this about, if the waveform shows that. One that only the end
// of the run shows is at its last cycle.
func (s *saveFile) write(of *shown, wave *vcd.Writer, violations []outcome.Violation, end uint64) error {
	s.Signals, s.First = wave.Signals(), slices.Clone(of.first)
	mark := func(marker vcd.Marker) {
		taken := slices.ContainsFunc(s.Markers, func(m vcd.Marker) bool { return m.Cycle == marker.Cycle })
		if !taken && wave.Shows(min(marker.Cycle, max(end, 1)-1)) {
			s.Markers = append(s.Markers, marker)
		}
	}
	for _, v := range violations {
		if v.Path != of.config.Network.Kind() && !slices.Contains(s.First, v.Path) { // not all of it
			s.First = append(s.First, v.Path)
		}
	}
	for _, fault := range s.struck {
		mark(fault)
	}
	for _, v := range violations {
		mark(vcd.Marker{Cycle: v.Cycle, Name: v.Rule})
	}
	slices.SortStableFunc(s.Markers, func(a, b vcd.Marker) int { return cmp.Compare(a.Cycle, b.Cycle) })
	s.Main = max(0, slices.IndexFunc(s.Markers, func(m vcd.Marker) bool { return m.Name == s.main }))
	if s.file != nil {
		if err := s.Write(s.file); err != nil {
			return err
		}
	}
	if s.surfer == nil {
		return nil
	}
	return s.WriteSurfer(s.surfer)
}
