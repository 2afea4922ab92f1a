package firmware

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
)

// NewHost creates a host with the given runtime, "compiler" or "interpreter". After the end of ctx, loading,
// attaching and running images stop with an error that wraps ctx's error; see Until.
func NewHost(ctx context.Context, runtime string) (*Host, error) {
	var config wazero.RuntimeConfig
	switch runtime {
	case "compiler", "":
		config = wazero.NewRuntimeConfig()
	case "interpreter":
		config = wazero.NewRuntimeConfigInterpreter()
	default:
		return nil, fmt.Errorf("unknown runtime %q; use one of %s", runtime, strings.Join(Runtimes, ", "))
	}
	h := &Host{ctx: context.WithoutCancel(ctx), runtime: wazero.NewRuntimeWithConfig(ctx, runtimeConfig(config)),
		compiles: runtime != "interpreter"}
	h.Until(ctx)
	if err := h.exportImports(); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func (h *Host) exportImports() error {
	builder := h.runtime.NewHostModuleBuilder(importModule)
	for name, f := range map[string]api.GoModuleFunc{
		"log": func(ctx context.Context, m api.Module, stack []uint64) {
			if in := caller(ctx); in != nil {
				in.hostLog(m, uint32(stack[0]), uint32(stack[1]))
			}
		},
		"logf": func(ctx context.Context, m api.Module, stack []uint64) {
			if in := caller(ctx); in != nil {
				in.hostLogf(m, uint32(stack[0]), uint32(stack[1]))
			}
		},
		// does not return, in any language
		"assert": func(_ context.Context, m api.Module, stack []uint64) {
			text := func(k int) string { return printable(cString(m.Memory(), uint32(stack[k]), logBytesMax)) }
			panic(assertError{text(0), text(1), fmt.Sprintf("%s:%d", text(2), uint32(stack[3]))})
		},
		"probe": func(ctx context.Context, _ api.Module, stack []uint64) {
			if in := caller(ctx); in != nil {
				in.hostProbe(uint32(stack[0]), stack[1])
			}
		},
		// does not return
		"fail": func(_ context.Context, _ api.Module, stack []uint64) {
			panic(gaveUpError(int32(uint32(stack[0]))))
		},
		importDeliver: func(ctx context.Context, _ api.Module, stack []uint64) {
			if in := caller(ctx); in != nil {
				in.hostDeliver(uint32(stack[0]))
			}
		},
		importResult: func(ctx context.Context, _ api.Module, stack []uint64) {
			if in := caller(ctx); in != nil {
				in.hostResult(uint32(stack[0]), stack[1])
			}
		},
	} {
		builder = builder.NewFunctionBuilder().WithGoModuleFunction(f, importTypes[name], nil).Export(name)
	}
	builder = builder.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(
		func(ctx context.Context, _ api.Module, _ []uint64) { caller(ctx).interpret() }), nil, nil).Export(importInterpret)
	if _, err := builder.Instantiate(h.ctx); err != nil {
		return err
	}
	if err := h.exportWASI(); err != nil {
		return err
	}
	_, err := h.runtime.NewHostModuleBuilder(wasm.TickModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(h.tick), nil, nil).Export(wasm.TickName).Instantiate(h.ctx)
	return err
}

// tick answers a draw, or ends the calling handler if it has exceeded its limit or the run has ended. As a Go call,
// tick also lets the scheduler preempt the thread. The scheduler cannot preempt compiled code; without ticks, a pending
// garbage collection would stop all goroutines until the handler returns.
func (h *Host) tick(ctx context.Context, module api.Module, _ []uint64) {
	if caller(ctx).answer() {
		return
	}
	h.endSpent(module)
	profileOf(ctx).count()
	h.limit(ctx)
	if err := (*h.until.Load()).Err(); err != nil {
		h.stopped.Store(true)
		panic(stoppedError{err})
	}
}

func (h *Host) limit(ctx context.Context) {
	t := ctx.Value(turnsKey{}).(*turns)
	limit := h.turns
	if limit == 0 && t.metered {
		limit = math.MaxUint64
	} else if limit == 0 {
		limit = TurnsMax
	}
	if !t.ask(limit) {
		h.endless.Store(true)
		var recursive []string
		if in := caller(ctx); in != nil {
			recursive = in.image.Recursive()
		}
		panic(endlessError{limit, recursive})
	}
}
