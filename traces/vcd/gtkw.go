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

// Limits of a save file. GTKWave draws every listed trace, so a long list is slow; its signal tree contains all
// signals.
const (
	gtkwSignalsMax    = 2048
	gtkwGroupsOpenMax = 8
)

// trace flags of a GTKWave save file (TR_* in GTKWave's source)
const (
	gtkwHex          = 0x2
	gtkwDecimal      = 0x4
	gtkwBinary       = 0x8
	gtkwRightJustify = 0x20
	gtkwBlank        = 0x200
	gtkwSigned       = 0x400
	gtkwASCII        = 0x800
	gtkwCollapsed    = 0x1000
	gtkwClosed       = 0x400000
	gtkwGroupBegin   = 0x800000
	gtkwGroupEnd     = 0x1000000
)

// SaveFile is a GTKWave save file that opens a VCD and shows its signals. Each element of an array, such as a NIC,
// has a group with its path as the name, in order of declaration. The names of signals in inner scopes include the
// scope. Within a scope, single bits and states precede vectors. Flags that never change have no rows. The save file
// lists at most 2,048 signals, and only the first 8 groups are open.
type SaveFile struct {
	// Path and VCD are the paths of the two files. The save file refers to the VCD by its base name.
	Path, VCD string
	Signals   []Signal
	// paths of scopes and signals that precede all others, in this order
	First []string
	// Markers are in ascending order. The first 26 markers have names. Markers[Main] is the primary marker.
	Markers []Marker
	Main    int
}

// Marker is a named cycle.
type Marker struct {
	Cycle uint64
	Name  string
}

const (
	gtkwMarkersMax = 26 // A to Z
	// gtkwZoom shows 16 cycles in about 350 pixels; gtkwCyclesBefore is the number of cycles before the primary
	// marker.
	gtkwZoom         = -4
	gtkwCyclesBefore = 16
)

// Write writes the save file.
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
		g.write()
	}
	fmt.Fprintf(b, "[pattern_trace] 1\n[pattern_trace] 0\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("gtkw: write: %w", err)
	}
	return nil
}

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

// order returns the listed signals per group, at most signals in total. The groups of First precede other groups.
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

// rankOf returns the index in First of a signal or of an enclosing scope, the smallest of several indices.
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
	flags   uint32 // last written flags, valid until changed
}

// write writes the groups side by side; nested groups would need four clicks to open.
func (g *gtkw) write() {
	var paths []string
	members := map[string][]SignalID{}
	scopeTree(g.signals).visit("", func(s *scope, path string) {
		group := groupPath(path)
		if members[group] == nil {
			paths = append(paths, group)
		}
		members[group] = append(members[group], s.narrowFirst(g.signals)...)
	})
	for _, path := range paths {
		g.group(path, members[path])
	}
}

// groupPath returns the path of the group for the signals of a scope: the scope up to its last index, otherwise its
// first part.
func groupPath(scope string) string {
	if index := strings.LastIndexByte(scope, ']'); index >= 0 {
		return scope[:index+1]
	}
	first, _, _ := strings.Cut(scope, ".")
	return first
}

func (g *gtkw) group(path string, signals []SignalID) {
	g.groups++
	// only the end of a closed group is marked as collapsed, as in GTKWave's own files
	begin, end := uint32(gtkwGroupBegin|gtkwBlank), uint32(gtkwGroupEnd|gtkwBlank)
	if g.groups > gtkwGroupsOpenMax {
		begin |= gtkwClosed
		end |= gtkwClosed | gtkwCollapsed
	}
	if path != "" {
		g.row(begin, "-"+path)
	}
	for _, id := range signals {
		g.signal(&g.signals[id], path)
	}
	if path != "" {
		g.row(end, "-"+path)
	}
}

// signal writes a signal of a group. It also writes rows for named bits, which GTKWave counts from the highest.
func (g *gtkw) signal(s *Signal, group string) {
	name, base := fmt.Sprintf("%s[%d:0]", s.Path, s.Bits-1), uint32(gtkwHex)
	if s.Form.Decimal {
		base = gtkwDecimal
	} else if s.Form.Signed {
		base = gtkwSigned
	}
	alias := ""
	if inner := strings.TrimPrefix(s.Path, group+"."); group != "" && strings.Contains(inner, ".") {
		alias = "+" + strings.ReplaceAll(inner, ".", "/") + " " // GTKWave truncates a name at its last dot
	}
	switch {
	case s.Bits == 0:
		g.row(gtkwASCII|gtkwRightJustify, alias+s.Path)
	case s.Bits == 1:
		g.row(gtkwBinary|gtkwRightJustify, alias+s.Path)
	case s.Form.Flags == nil || s.Changed == 0:
		g.row(base|gtkwRightJustify, alias+name)
	default:
		begin, end := uint32(gtkwGroupBegin|gtkwRightJustify), uint32(gtkwGroupEnd|gtkwBlank|gtkwCollapsed)
		if g.groups > gtkwGroupsOpenMax {
			begin |= gtkwClosed
			end |= gtkwClosed
		}
		g.row(begin|base, alias+name)
		for bit, flag := range s.Form.Flags {
			if s.Changed>>bit&1 != 0 {
				g.row(gtkwBinary|gtkwRightJustify, fmt.Sprintf("+%s (%d)%s", flag, s.Bits-1-bit, name))
			}
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

// surferSignalsMax is the maximum number of signals in a command file, because Surfer searches its list of all
// signals for each of them.
const surferSignalsMax = 512

// WriteSurfer writes a command file (.sucl) that shows the waveform in Surfer: the first 512 signals in the order of
// the save file, its markers, and the cursor at the first marker:
//
//	surfer --command-file run.sucl run.vcd
//
// It uses only commands with stable syntax: variable_add, cursor_set and marker_set.
func (f *SaveFile) WriteSurfer(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# Starloom: surfer --command-file THIS-FILE WAVEFORM\n")
	if len(f.Signals) > surferSignalsMax {
		fmt.Fprintf(b, "# the first %d of %d signals; the others are in the tree of scopes\n",
			surferSignalsMax, len(f.Signals))
	}
	for _, signals := range f.order(surferSignalsMax) {
		scopeTree(signals).visit("", func(s *scope, _ string) {
			for _, id := range s.narrowFirst(signals) {
				fmt.Fprintf(b, "variable_add %s\n", signals[id].Path)
			}
		})
	}
	// Marker names must be unique, because a second marker with the same name would move the first. Depending on its
	// version, Surfer sets a marker at the cursor or at the time after the marker's name.
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
