package vcd

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"starloom/traces/input"
)

// Limits of a save file. GTKWave draws every trace that it lists, so a long list
// makes it slow; signals beyond the limit are still in its signal tree.
const (
	gtkwSignalsMax    = 2048
	gtkwGroupsOpenMax = 8
)

// Trace flags of a GTKWave save file (TR_* in its source, hexadecimal there).
const (
	gtkwHex          = 0x2
	gtkwDecimal      = 0x4
	gtkwBinary       = 0x8
	gtkwRightJustify = 0x20
	gtkwBlank        = 0x200
	gtkwASCII        = 0x800
	gtkwCollapsed    = 0x1000
	gtkwClosed       = 0x400000
	gtkwGroupBegin   = 0x800000
	gtkwGroupEnd     = 0x1000000
)

// SaveFile is a GTKWave save file that opens a VCD and shows its signals: one group per scope, named by
// its path, in the order of declaration; single bits and states first, then vectors. At most 2,048
// signals are listed, and only the first 8 groups are open.
type SaveFile struct {
	// Path and VCD are where the two files lie; the save file speaks of the VCD by its base name, so
	// that the pair can be moved together.
	Path, VCD string
	Signals   []Signal
	// First are the paths of scopes and signals that come before all others, in this order.
	First []string
	// Markers are in the order of time; the primary marker of GTKWave is at that with the number Main, and the
	// window begins shortly before it. The first 26 have names.
	Markers []Marker
	Main    int
}

// Marker is a cycle and what GTKWave calls it.
type Marker struct {
	Cycle uint64
	Name  string
}

const (
	gtkwMarkersMax = 26 // A to Z
	// gtkwZoom shows 16 cycles in about 350 pixels; so many are shown before the primary marker.
	gtkwZoom         = -4
	gtkwCyclesBefore = 16
)

// Write writes it.
func (f *SaveFile) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "[*]\n[*] Starloom\n")
	if len(f.Signals) > gtkwSignalsMax {
		fmt.Fprintf(b, "[*] the first %d of %d signals; the others are in the signal tree\n", gtkwSignalsMax, len(f.Signals))
	}
	fmt.Fprintf(b, "[*]\n")
	fmt.Fprintf(b, "[dumpfile] \"%s\"\n", input.Printable(filepath.Base(f.VCD)))
	fmt.Fprintf(b, "[savefile] \"%s\"\n", input.Printable(filepath.Base(f.Path)))
	f.markers(b)

	groups := f.order(gtkwSignalsMax)
	for _, scope := range scopeTree(slices.Concat(groups...)).scopes {
		fmt.Fprintf(b, "[treeopen] %s.\n", scope.name)
	}
	fmt.Fprintf(b, "[sst_width] 260\n[signals_width] 320\n[sst_expanded] 1\n[sst_vpaned_height] 300\n")
	g := gtkw{w: b}
	for _, g.signals = range groups {
		scopeTree(g.signals).visit("", g.group)
	}
	fmt.Fprintf(b, "[pattern_trace] 1\n[pattern_trace] 0\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("gtkw: write: %w", err)
	}
	return nil
}

// markers writes where the window begins, the zoom, and the markers: the primary one and A to Z.
func (f *SaveFile) markers(b *bufio.Writer) {
	var cycles strings.Builder
	named, start := f.Markers[:min(len(f.Markers), gtkwMarkersMax)], uint64(0)
	if len(named) > 0 {
		main := named[min(f.Main, len(named)-1)].Cycle
		start = main - min(main, gtkwCyclesBefore)
		fmt.Fprintf(&cycles, " %d", main)
		for _, marker := range named {
			fmt.Fprintf(&cycles, " %d", marker.Cycle)
		}
	} else {
		cycles.WriteString(" -1")
	}
	cycles.WriteString(strings.Repeat(" -1", gtkwMarkersMax-len(named)))
	fmt.Fprintf(b, "[timestart] %d\n[size] 1400 800\n[pos] -1 -1\n*%d.000000%s\n", start, gtkwZoom, cycles.String())
	for i, marker := range named {
		fmt.Fprintf(b, "[markername] %c%s\n", 'A'+i, input.Printable(marker.Name))
	}
}

// order returns the signals that are listed, so many: those of each of First, and then the others.
func (f *SaveFile) order(signals int) (groups [][]Signal) {
	rank := make(map[string]int, len(f.First))
	for k, first := range f.First {
		rank[first] = k
	}
	groups = make([][]Signal, len(f.First)+1)
	for i := range f.Signals {
		signal := &f.Signals[i]
		if at := f.rankOf(signal.Path, rank); len(groups[at]) < signals {
			groups[at] = append(groups[at], *signal)
		}
	}
	for at := range groups {
		groups[at] = groups[at][:min(signals, len(groups[at]))]
		signals -= len(groups[at])
	}
	return groups
}

// rankOf is the place in First of a signal or of the first scope around it that is there.
func (f *SaveFile) rankOf(path string, rank map[string]int) int {
	at := len(f.First)
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if k, ok := rank[path[:end]]; ok {
			at = min(at, k)
		}
	}
	return at
}

type gtkw struct {
	w       *bufio.Writer
	signals []Signal
	groups  int
	flags   uint32 // as last written; flags stay until others come
}

// group writes the group of a scope, without those of the scopes in it: a path of four nested groups would
// need four clicks to open.
func (g *gtkw) group(s *scope, path string) {
	g.groups++
	// Of a closed group only the end is marked as collapsed, as GTKWave itself
	// writes it; it hides the members when it loads them.
	begin, end := uint32(gtkwGroupBegin|gtkwBlank), uint32(gtkwGroupEnd|gtkwBlank)
	if g.groups > gtkwGroupsOpenMax {
		begin |= gtkwClosed
		end |= gtkwClosed | gtkwCollapsed
	}
	if path != "" {
		g.row(begin, "-"+path)
	}
	for _, id := range s.narrowFirst(g.signals) {
		g.signal(&g.signals[id])
	}
	if path != "" {
		g.row(end, "-"+path)
	}
}

// signal writes the row of a signal, and those of its bits if they have names: GTKWave counts them from
// the highest, and shows them below the signal, or hides them.
func (g *gtkw) signal(s *Signal) {
	name, base := fmt.Sprintf("%s[%d:0]", s.Path, s.Bits-1), uint32(gtkwHex)
	if s.Form.Decimal {
		base = gtkwDecimal
	}
	switch {
	case s.Bits == 0:
		g.row(gtkwASCII|gtkwRightJustify, s.Path)
	case s.Bits == 1:
		g.row(gtkwBinary|gtkwRightJustify, s.Path)
	case s.Form.Flags == nil:
		g.row(base|gtkwRightJustify, name)
	default:
		begin, end := uint32(gtkwGroupBegin|gtkwRightJustify), uint32(gtkwGroupEnd|gtkwBlank|gtkwCollapsed)
		if g.groups > gtkwGroupsOpenMax {
			begin |= gtkwClosed
			end |= gtkwClosed
		}
		g.row(begin|base, name)
		for bit, flag := range s.Form.Flags {
			g.row(gtkwBinary|gtkwRightJustify, fmt.Sprintf("+{%s} (%d)%s", flag, s.Bits-1-bit, name))
		}
		g.row(end, "-group_end")
	}
}

func (g *gtkw) row(flags uint32, text string) {
	if flags != g.flags {
		fmt.Fprintf(g.w, "@%x\n", flags)
		g.flags = flags
	}
	fmt.Fprintf(g.w, "%s\n", text)
}

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
