package vcd

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
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
	gtkwBinary       = 0x8
	gtkwRightJustify = 0x20
	gtkwBlank        = 0x200
	gtkwASCII        = 0x800
	gtkwCollapsed    = 0x1000
	gtkwClosed       = 0x400000
	gtkwGroupBegin   = 0x800000
	gtkwGroupEnd     = 0x1000000
)

// WriteGTKW writes a GTKWave save file that opens the VCD and shows its signals:
// one group per scope, named by its path, in the order of declaration; single
// bits and states first, then vectors in hexadecimal. vcdPath and savePath are
// where the two files lie; the save file speaks of the VCD by its base name, so
// that the pair can be moved together. At most 2,048 signals are listed, and only the
// first 8 groups are open.
func WriteGTKW(w io.Writer, savePath, vcdPath string, signals []Signal) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "[*]\n[*] Starloom\n")
	if len(signals) > gtkwSignalsMax {
		fmt.Fprintf(b, "[*] the first %d of %d signals; the others are in the signal tree\n", gtkwSignalsMax, len(signals))
		signals = signals[:gtkwSignalsMax]
	}
	fmt.Fprintf(b, "[*]\n")
	fmt.Fprintf(b, "[dumpfile] \"%s\"\n", filepath.Base(vcdPath))
	fmt.Fprintf(b, "[savefile] \"%s\"\n", filepath.Base(savePath))
	fmt.Fprintf(b, "[timestart] 0\n[size] 1400 800\n[pos] -1 -1\n")
	// Zoom, then the markers: the primary one and A to Z, all unset.
	fmt.Fprintf(b, "*-4.000000%s\n", strings.Repeat(" -1", 27))

	tree := scopeTree(signals)
	for _, s := range tree.scopes {
		fmt.Fprintf(b, "[treeopen] %s.\n", s.name)
	}
	fmt.Fprintf(b, "[sst_width] 260\n[signals_width] 320\n[sst_expanded] 1\n[sst_vpaned_height] 300\n")
	g := gtkw{w: b, signals: signals}
	g.scope(tree, "")
	fmt.Fprintf(b, "[pattern_trace] 1\n[pattern_trace] 0\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("gtkw: write: %w", err)
	}
	return nil
}

// gtkw is the state of writing a save file.
type gtkw struct {
	w       *bufio.Writer
	signals []Signal
	groups  int
	flags   uint32 // as last written; flags stay until others come
}

// scope writes the group of a scope and then those below it. Groups are not
// nested: a path of four scopes would need four clicks to open.
func (g *gtkw) scope(s *scope, path string) {
	if len(s.signals) > 0 {
		g.group(s, path)
	}
	for _, sub := range s.scopes {
		g.scope(sub, strings.TrimPrefix(path+"."+sub.name, "."))
	}
}

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
	for _, vectors := range []bool{false, true} {
		for _, id := range s.signals {
			signal := g.signals[id]
			if signal.Bits > 1 != vectors {
				continue
			}
			switch signal.Bits {
			case 0:
				g.row(gtkwASCII|gtkwRightJustify, signal.Path)
			case 1:
				g.row(gtkwBinary|gtkwRightJustify, signal.Path)
			default:
				g.row(gtkwHex|gtkwRightJustify, fmt.Sprintf("%s[%d:0]", signal.Path, signal.Bits-1))
			}
		}
	}
	if path != "" {
		g.row(end, "-"+path)
	}
}

func (g *gtkw) row(flags uint32, text string) {
	if flags != g.flags {
		fmt.Fprintf(g.w, "@%x\n", flags)
		g.flags = flags
	}
	fmt.Fprintf(g.w, "%s\n", text)
}
