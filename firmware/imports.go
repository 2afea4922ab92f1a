package firmware

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm"
)

// The imports are all that firmware can ask of the host.
const (
	importModule  = "starloom"
	importDeliver = "deliver"
	importResult  = "result"
)

var importTypes = map[string][]api.ValueType{
	"log":         {api.ValueTypeI32, api.ValueTypeI32},
	"logf":        {api.ValueTypeI32, api.ValueTypeI32},
	"assert":      {api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32},
	"probe":       {api.ValueTypeI32, api.ValueTypeI64},
	"fail":        {api.ValueTypeI32},
	importDeliver: {api.ValueTypeI32},
	importResult:  {api.ValueTypeI32, api.ValueTypeI64},
}

func importList() string {
	names := slices.Sorted(maps.Keys(importTypes))
	for i := range names {
		names[i] = importModule + "." + names[i]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// instanceKey finds the instance that makes a call in the call's context.
type instanceKey struct{}

func caller(ctx context.Context) *wasmInstance {
	in, _ := ctx.Value(instanceKey{}).(*wasmInstance)
	return in
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
		// It does not return, in whatever language the firmware is written.
		"assert": func(_ context.Context, m api.Module, stack []uint64) {
			text := func(k int) string { return printable(cString(m.Memory(), uint32(stack[k]), logBytesMax)) }
			panic(assertError{text(0), text(1), fmt.Sprintf("%s:%d", text(2), uint32(stack[3]))})
		},
		"probe": func(ctx context.Context, _ api.Module, stack []uint64) {
			if in := caller(ctx); in != nil {
				in.hostProbe(uint32(stack[0]), stack[1])
			}
		},
		// Neither does this.
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
