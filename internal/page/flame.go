package page

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"starloom/firmware"
	"starloom/firmware/wasm"
)

// Sizes of a flame graph in pixels, and up to how many functions it has.
const (
	flameWidth    = 960
	flameRow      = 20
	flameBoxesMax = 400
	flameLeast    = 2 // pixels of the narrowest box
)

// flameBox is a function with those that call it: its cost is with those that it calls.
type flameBox struct {
	frame wasm.Frame
	cost  uint64
	own   uint64
	calls []*flameBox
}

func newFlame(stacks []firmware.ProfileStack) *flameBox {
	root := &flameBox{}
	for i := range stacks {
		at := root
		at.cost += stacks[i].Cost
		for _, frame := range slices.Backward(stacks[i].Frames) {
			function := wasm.Frame{Function: frame.Function}
			k := slices.IndexFunc(at.calls, func(b *flameBox) bool { return b.frame == function })
			if k < 0 {
				k = len(at.calls)
				at.calls = append(at.calls, &flameBox{frame: function})
			}
			at = at.calls[k]
			at.cost += stacks[i].Cost
		}
		at.own += stacks[i].Cost
	}
	root.sort()
	return root
}

func (f *flameBox) sort() {
	slices.SortStableFunc(f.calls, func(a, b *flameBox) int {
		return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(a.frame.Function, b.frame.Function))
	})
	for _, call := range f.calls {
		call.sort()
	}
}

func (f *flameBox) depth() (depth int) {
	for _, call := range f.calls {
		depth = max(depth, 1+call.depth())
	}
	return depth
}

type flameDrawing struct {
	b     strings.Builder
	total uint64
	boxes int
	left  int
}

// FlameGraph draws stacks: the outermost function at the top, below it those that it calls, as wide as what they
// cost; left is how many functions are too narrow to be drawn.
func FlameGraph(title string, stacks []firmware.ProfileStack) (svg []byte, left int) {
	root := newFlame(stacks)
	d := flameDrawing{total: max(root.cost, 1)}
	height := flameRow*root.depth() + 2
	fmt.Fprintf(&d.b, `<svg xmlns="http://www.w3.org/2000/svg" class="flame" role="img" viewBox="0 0 %d %d" width="%d" height="%d">`+"\n",
		flameWidth, height, flameWidth, height)
	fmt.Fprintf(&d.b, "<title>%s</title>\n", html.EscapeString(title))
	d.calls(root, 0, 0)
	d.b.WriteString("</svg>")
	return []byte(d.b.String()), d.left
}

func (d *flameDrawing) x(cost uint64) int { return int(cost * flameWidth / d.total) }

func (d *flameDrawing) calls(f *flameBox, from uint64, depth int) {
	for _, call := range f.calls {
		x, end := d.x(from), d.x(from+call.cost)
		from += call.cost
		if end-x < flameLeast || d.boxes >= flameBoxesMax {
			d.left++
			continue
		}
		d.boxes++
		class, on := "", ""
		if 4*call.own >= d.total {
			class, on = ` class="hot"`, ` class="on"`
		}
		percent := call.cost * 100 / d.total
		fmt.Fprintf(&d.b, `<g><title>%s: %d of %d, %d%%, of which %d are its own</title><rect%s x="%d" y="%d" width="%d" height="%d"/>`,
			html.EscapeString(call.frame.Function), call.cost, d.total, percent, call.own, class, x, depth*flameRow, end-x, flameRow-1)
		if room := (end - x - 8) * 10 / char10; room >= 3 {
			name := fmt.Sprintf("%s %d%%", call.frame.Function, percent)
			fmt.Fprintf(&d.b, `<text%s x="%d" y="%d">%s</text>`, on, x+4, depth*flameRow+14, html.EscapeString(cut(name, room)))
		}
		d.b.WriteString("</g>\n")
		d.calls(call, from-call.cost, depth+1)
	}
}
