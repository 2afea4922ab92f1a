package firmware

import (
	"context"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"starloom/firmware/wasm"
)

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
