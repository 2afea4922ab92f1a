package page

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/traces/svg"
)

// sizes of a flame graph in pixels, and its maximum number of functions
const (
	flameWidth    = 960
	flameRow      = 20
	flameBoxesMax = 400
	flameLeast    = 2 // pixels of the narrowest box
)

// flameBox is a function with its callers. Its cost includes its callees.
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
	svg   *svg.Drawing
	total uint64
	boxes int
	left  int
}

// FlameGraph draws stacks: the outermost function at the top, callees below, each as wide as its cost. left is the
// number of functions that are too narrow to draw.
func FlameGraph(title string, stacks []firmware.ProfileStack) (picture []byte, left int) {
	root := newFlame(stacks)
	var b bytes.Buffer
	d := flameDrawing{svg.Bare(&b, "flame", flameWidth, float64(flameRow*root.depth()+2), title,
		""), max(root.cost, 1), 0, 0}
	d.calls(root, 0, 0)
	_ = d.svg.Close() // a buffer has no errors
	return b.Bytes(), d.left
}

func (d *flameDrawing) x(cost uint64) int { return int(cost * flameWidth / d.total) }

func (d *flameDrawing) calls(f *flameBox, from uint64, depth int) {
	for _, call := range f.calls {
		x, edge := d.x(from), d.x(from+call.cost)
		from += call.cost
		if edge-x < flameLeast || d.boxes >= flameBoxesMax {
			d.left++
			continue
		}
		d.boxes++
		class, on := "", ""
		if 4*call.own >= d.total {
			class, on = "hot", "on"
		}
		percent, y := call.cost*100/d.total, float64(depth*flameRow)
		end := d.svg.Group(fmt.Sprintf("%s: %d of %d, %d%%, %d of them its own", call.frame.Function, call.cost,
			d.total, percent, call.own))
		d.svg.Rect(float64(x), y, float64(edge-x), flameRow-1, svg.Class(class))
		if room := (edge - x - 8) * 10 / char10; room >= 3 {
			d.svg.Text(float64(x+4), y+14, cut(fmt.Sprintf("%s %d%%", call.frame.Function, percent), room), svg.Class(on))
		}
		end()
		d.calls(call, from-call.cost, depth+1)
	}
}
