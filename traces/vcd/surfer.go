package vcd

import (
	"bufio"
	"fmt"
	"io"
)

// surferSignalsMax is how many signals a command file adds: Surfer reads its list of all signals again for each.
const surferSignalsMax = 512

// WriteSurfer writes a command file (.sucl) that shows the waveform in Surfer: the first 512 signals in the order of
// the save file, markers where that has them, and the cursor at the first. It is given beside the waveform:
//
//	surfer --command-file run.sucl run.vcd
//
// It has none but the commands that have stayed as they are since they came: variable_add, cursor_set and marker_set.
func (f *SaveFile) WriteSurfer(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# Starloom: surfer --command-file THIS-FILE WAVEFORM\n")
	if len(f.Signals) > surferSignalsMax {
		fmt.Fprintf(b, "# the first %d of %d signals; the others are in the tree of scopes\n", surferSignalsMax, len(f.Signals))
	}
	for _, signals := range f.order(surferSignalsMax) {
		scopeTree(signals).visit("", func(s *scope, _ string) {
			for _, id := range s.narrowFirst(signals) {
				fmt.Fprintf(b, "variable_add %s\n", signals[id].Path)
			}
		})
	}
	// A marker has a name and no other has it: a second one would move the first. It is set where the cursor is, or
	// at the time that follows its name, by version.
	times := map[string]int{}
	named := f.Markers[:min(len(f.Markers), gtkwMarkersMax)]
	for _, marker := range named {
		name := marker.Name
		if times[name]++; times[name] > 1 {
			name = fmt.Sprintf("%s.%d", name, times[name])
		}
		fmt.Fprintf(b, "cursor_set %d\nmarker_set %s %d\n", marker.Cycle, name, marker.Cycle)
	}
	if len(named) > 1 {
		fmt.Fprintf(b, "cursor_set %d\n", named[min(f.Main, len(named)-1)].Cycle)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("surfer: write: %w", err)
	}
	return nil
}
