package firmware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"starloom/firmware/wasm"
)

// A call is profiled in a copy of its own (wasm.Meter.Profile), which asks the host after
// every source line. Where no one asks for a profile, nothing of this is in the code.

// Profile says where one call of a slot handler has spent its cost.
type Profile struct {
	Cost   uint64         // of what was profiled
	Cut    bool           // the call went on: ProfileCostMax is the most
	Stacks []ProfileStack // their costs add up to Cost; the dearest first
}

// ProfileStack is the functions around one source line, and what was spent there.
type ProfileStack struct {
	Frames []wasm.Frame // the innermost first; Source is file:line, "" if it is not known
	Cost   uint64
}

// ProfileCostMax is up to what cost a call is profiled.
const ProfileCostMax = 10_000_000

// profile is the tree of the calls of one call.
type profile struct {
	counter, at api.Global // wasm.CounterName, wasm.AtName
	counted     uint64     // of the counter
	top, bottom *profileCall
	calls       int // in the tree
	beyond      int // calls above top that are not in it
	cut         bool
}

// A profile tells apart so many nested calls, and so many stacks in all; deeper ones count as the caller's.
const profileDepthMax, profileCallsMax = 64, 4096

// profileCall is a function that was called from one place.
type profileCall struct {
	by       *profileCall
	depth    int
	from     uint32 // offset of the call
	function string
	calls    []*profileCall
	costs    map[uint32]uint64 // by offset
}

// errProfileCut ends a call that is profiled no further.
var errProfileCut = errors.New("the profile is full")

func (p *profile) count() {
	if p == nil {
		return
	}
	counter := p.counter.Get()
	p.top.costs[uint32(p.at.Get())] += counter - p.counted
	if p.counted = counter; counter >= ProfileCostMax {
		p.cut = true
		panic(errProfileCut)
	}
}

type stacks struct {
	img    *Image
	list   []ProfileStack
	frames map[uint32][]wasm.Frame // around an offset, in its function
	number map[string]int          // of such frames
	place  map[[2]int]int          // of a stack in list, by the one that it was called from (-1: none) and its own frames
}

func newStacks(img *Image, bottom *profileCall) []ProfileStack {
	s := &stacks{img, nil, map[uint32][]wasm.Frame{}, map[string]int{}, map[[2]int]int{}}
	for _, called := range bottom.calls {
		s.add(called, -1)
	}
	return slices.DeleteFunc(s.list, func(s ProfileStack) bool { return s.Cost == 0 }) // that only call
}

func (s *stacks) add(c *profileCall, from int) {
	for _, at := range slices.Sorted(maps.Keys(c.costs)) {
		if (*s.img.host.until.Load()).Err() != nil {
			return // no one wants the rest
		}
		s.list[s.of(c.function, at, from)].Cost += c.costs[at]
	}
	for _, called := range c.calls {
		s.add(called, s.of(c.function, called.from, from))
	}
}

func (s *stacks) of(function string, at uint32, from int) int {
	frames, ok := s.frames[at]
	if !ok {
		frames = s.img.lineFrames(function, at)
		s.frames[at] = frames
	}
	text := fmt.Sprint(frames)
	if _, ok := s.number[text]; !ok {
		s.number[text] = len(s.number)
	}
	key := [2]int{from, s.number[text]}
	place, ok := s.place[key]
	if !ok {
		place = len(s.list)
		s.place[key] = place
		stack := ProfileStack{Frames: slices.Clone(frames)}
		if from >= 0 {
			stack.Frames = append(stack.Frames, s.list[from].Frames...)
		}
		s.list = append(s.list, stack)
	}
	return place
}

// lineFrames is the frames of a function and those inlined there around an offset, without columns.
func (img *Image) lineFrames(function string, at uint32) []wasm.Frame {
	frames := img.framesAt(uint64(at))
	if len(frames) == 0 {
		return []wasm.Frame{{Function: function}}
	}
	for i := range frames {
		frames[i].Source = frames[i].Line()
	}
	last := &frames[len(frames)-1]
	last.Function = cmp.Or(last.Function, function)
	return frames
}

// listening is a context in which an image is compiled: one with a profile tells of its calls.
func listening(ctx context.Context, meter *wasm.Meter) context.Context {
	if meter == nil || !meter.Profile {
		return ctx
	}
	return experimental.WithFunctionListenerFactory(ctx, experimental.FunctionListenerFactoryFunc(func(f api.FunctionDefinition) experimental.FunctionListener {
		if slices.ContainsFunc(f.ExportNames(), func(name string) bool { return strings.HasPrefix(name, wasm.EachName) }) {
			return nil // of the copy
		}
		return profileListener{}
	}))
}

type profileListener struct{}

func (profileListener) Before(ctx context.Context, _ api.Module, f api.FunctionDefinition, _ []uint64, _ experimental.StackIterator) {
	p := profileOf(ctx)
	if p == nil {
		return
	}
	from, name := uint32(0), strings.TrimPrefix(f.DebugName(), ".")
	if p.top != p.bottom {
		from = uint32(p.at.Get())
	}
	k := slices.IndexFunc(p.top.calls, func(c *profileCall) bool { return c.from == from && c.function == name })
	if p.beyond > 0 || k < 0 && (p.top.depth == profileDepthMax || p.calls == profileCallsMax) {
		p.beyond++
		return
	}
	if k < 0 {
		k = len(p.top.calls)
		p.calls++
		p.top.calls = append(p.top.calls, &profileCall{by: p.top, depth: p.top.depth + 1, from: from, function: name, costs: map[uint32]uint64{}})
	}
	p.top = p.top.calls[k]
}

func (profileListener) After(ctx context.Context, _ api.Module, _ api.FunctionDefinition, _ []uint64) {
	switch p := profileOf(ctx); {
	case p == nil:
	case p.beyond > 0:
		p.beyond--
	default:
		p.top = p.top.by
	}
}

// Abort notes nothing: the whole call ends.
func (profileListener) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}
