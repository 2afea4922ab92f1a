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

// Only the profiling copy of an image (wasm.Meter.Profile) calls the host after every source line.

// Profile distributes the cost of one slot-handler call over source lines.
type Profile struct {
	Cost   uint64         // cost of the call
	Cut    bool           // the call exceeded ProfileCostMax and was ended
	Stacks []ProfileStack // the costs add up to Cost, in descending order
}

// ProfileStack is the call stack at one source line, and the cost of this line.
type ProfileStack struct {
	Frames []wasm.Frame // innermost first; Source is file:line, "" if unknown
	Cost   uint64
}

// Add adds another profile, nil for none.
func (p *Profile) Add(other *Profile) {
	if other == nil {
		return
	}
	p.Cost, p.Cut = p.Cost+other.Cost, p.Cut || other.Cut
	for _, stack := range other.Stacks {
		same := func(s ProfileStack) bool { return slices.Equal(s.Frames, stack.Frames) }
		if at := slices.IndexFunc(p.Stacks, same); at >= 0 {
			p.Stacks[at].Cost += stack.Cost
		} else {
			p.Stacks = append(p.Stacks, stack)
		}
	}
	slices.SortStableFunc(p.Stacks, func(a, b ProfileStack) int { return cmp.Compare(b.Cost, a.Cost) })
}

// ProfileCostMax is the maximum profiled cost of a call.
const ProfileCostMax = 10_000_000

type profile struct {
	counter, at api.Global // wasm.CounterName, wasm.AtName
	counted     uint64     // last value of counter
	top, bottom *profileCall
	calls       int // nodes of the tree
	beyond      int // number of active calls above top that are not in the tree
	cut         bool
}

// limits of nested calls and of all calls in a profile; further calls count towards their callers
const profileDepthMax, profileCallsMax = 64, 4096

type profileCall struct {
	by       *profileCall
	depth    int
	from     uint32 // offset of the call instruction
	function string
	calls    []*profileCall
	costs    map[uint32]uint64 // costs by offset
}

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
	frames map[uint32][]wasm.Frame // frames by offset, within its function
	number map[string]int          // index of frames
	place  map[[2]int]int          // index in list by the caller's index (-1 for none) and the index of the own frames
}

func newStacks(img *Image, bottom *profileCall) []ProfileStack {
	s := &stacks{img, nil, map[uint32][]wasm.Frame{}, map[string]int{}, map[[2]int]int{}}
	for _, called := range bottom.calls {
		s.add(called, -1)
	}
	return slices.DeleteFunc(s.list, func(s ProfileStack) bool { return s.Cost == 0 }) // functions that only call others
}

func (s *stacks) add(c *profileCall, from int) {
	for _, at := range slices.Sorted(maps.Keys(c.costs)) {
		if (*s.img.host.until.Load()).Err() != nil {
			return // the profile is no longer needed
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

func listening(ctx context.Context, meter *wasm.Meter) context.Context {
	if meter == nil || !meter.Profile {
		return ctx
	}
	return experimental.WithFunctionListenerFactory(ctx,
		experimental.FunctionListenerFactoryFunc(func(f api.FunctionDefinition) experimental.FunctionListener {
			if slices.ContainsFunc(f.ExportNames(), func(name string) bool { return strings.HasPrefix(name, wasm.EachName) }) {
				return nil // not a function of the image
			}
			return profileListener{}
		}))
}

type profileListener struct{}

func (profileListener) Before(ctx context.Context, _ api.Module, f api.FunctionDefinition, _ []uint64,
	_ experimental.StackIterator) {
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
		p.top.calls = append(p.top.calls,
			&profileCall{by: p.top, depth: p.top.depth + 1, from: from, function: name, costs: map[uint32]uint64{}})
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

// Abort does nothing, because the whole call ends.
func (profileListener) Abort(context.Context, api.Module, api.FunctionDefinition, error) {}
