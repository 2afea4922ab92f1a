package wasm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/wasm/binary"
)

type assembly struct {
	types     []string // params, 0, results
	functions []testFunction
	globals   [][]byte
	elements  []byte // functions of a table
	names     map[int]string
}

type testFunction struct {
	name    string // of its export, "" for none
	params  string
	results string
	locals  string
	code    []byte // without its end
}

const (
	i32 = string(rune(binary.I32))
	i64 = string(rune(binary.I64))
)

func (a *assembly) signature(params, results string) byte {
	key := params + "\x00" + results
	for i, t := range a.types {
		if t == key {
			return byte(i)
		}
	}
	a.types = append(a.types, key)
	return byte(len(a.types) - 1)
}

func (a *assembly) mutable(value int32) *assembly {
	a.globals = append(a.globals,
		append(binary.AppendSigned([]byte{binary.I32, 1, binary.OpI32Const}, int64(value)), binary.OpEnd))
	return a
}

// add adds a function; code follows its locals.
func (a *assembly) add(name, params, results, locals string, code ...byte) *assembly {
	a.functions = append(a.functions, testFunction{name, params, results, locals, code})
	return a
}

// bytes is the module: a memory of one page, exported.
func (a *assembly) bytes() []byte {
	vector := func(items [][]byte) []byte {
		content := binary.AppendU32(nil, uint32(len(items)), 1)
		for _, item := range items {
			content = append(content, item...)
		}
		return content
	}
	var types, functions, exports, code [][]byte
	for i, f := range a.functions {
		functions = append(functions, []byte{a.signature(f.params, f.results)})
		if f.name != "" {
			exports = append(exports,
				binary.AppendU32(append(binary.AppendName(nil, f.name), binary.KindFunction), uint32(i), 1))
		}
		body := binary.AppendU32(nil, uint32(len(f.locals)), 1)
		for _, local := range []byte(f.locals) {
			body = append(body, 1, local)
		}
		body = append(append(body, f.code...), binary.OpEnd)
		code = append(code, append(binary.AppendU32(nil, uint32(len(body)), 1), body...))
	}
	exports = append(exports, append(binary.AppendName(nil, "memory"), binary.KindMemory, 0))
	for _, t := range a.types {
		for i := range len(t) {
			if t[i] == 0 {
				types = append(types, append(binary.AppendName([]byte{0x60}, t[:i]), binary.AppendName(nil, t[i+1:])...))
			}
		}
	}
	out := append([]byte(nil), binary.Header...)
	out = binary.AppendSection(out, binary.SectionType, 1, vector(types))
	out = binary.AppendSection(out, binary.SectionFunction, 1, vector(functions))
	if a.elements != nil {
		out = binary.AppendSection(out, binary.SectionTable, 1, []byte{1, 0x70, 0, byte(len(a.elements))})
	}
	out = binary.AppendSection(out, binary.SectionMemory, 1, []byte{1, 0, 1})
	if a.globals != nil {
		out = binary.AppendSection(out, binary.SectionGlobal, 1, vector(a.globals))
	}
	out = binary.AppendSection(out, binary.SectionExport, 1, vector(exports))
	if a.elements != nil {
		out = binary.AppendSection(out, binary.SectionElement, 1,
			append([]byte{1, 0, binary.OpI32Const, 0, binary.OpEnd, byte(len(a.elements))}, a.elements...))
	}
	return binary.AppendSection(out, binary.SectionCode, 1, vector(code))
}

// run makes an instance, with the host's tick if the module is a copy.
func run(t testing.TB, config wazero.RuntimeConfig, image []byte, tick func()) api.Module {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config)
	t.Cleanup(func() { require.NoError(t, r.Close(ctx)) })
	_, err := r.NewHostModuleBuilder(TickModule).NewFunctionBuilder().WithFunc(func(_ context.Context, m api.Module) {
		m.ExportedGlobal(TurnsName).(api.MutableGlobal).Set(TickTurns)
		if tick != nil {
			tick()
		}
	}).Export(TickName).Instantiate(ctx)
	require.NoError(t, err)
	m, err := r.Instantiate(ctx, image)
	require.NoError(t, err)
	return m
}

var runtimes = map[string]func() wazero.RuntimeConfig{
	"compiler": wazero.NewRuntimeConfigCompiler, "interpreter": wazero.NewRuntimeConfigInterpreter,
}

func rewrite(t testing.TB, image []byte) *Copy {
	c, err := Rewrite(image)
	require.NoError(t, err)
	return c
}
