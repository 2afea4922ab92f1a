package wasm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// assembly puts small modules together.
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
	i32 = string(rune(typeI32))
	i64 = string(rune(typeI64))
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

// mutable adds an i32 global.
func (a *assembly) mutable(value int32) *assembly {
	a.globals = append(a.globals, append(appendS32([]byte{typeI32, 1, byte(opI32Const)}, value), byte(opEnd)))
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
		content := appendU32(nil, uint32(len(items)), 1)
		for _, item := range items {
			content = append(content, item...)
		}
		return content
	}
	var types, functions, exports, code [][]byte
	for i, f := range a.functions {
		functions = append(functions, []byte{a.signature(f.params, f.results)})
		if f.name != "" {
			exports = append(exports, appendU32(append(appendName(nil, f.name), kindFunction), uint32(i), 1))
		}
		body := appendU32(nil, uint32(len(f.locals)), 1)
		for _, local := range []byte(f.locals) {
			body = append(body, 1, local)
		}
		body = append(append(body, f.code...), byte(opEnd))
		code = append(code, append(appendU32(nil, uint32(len(body)), 1), body...))
	}
	exports = append(exports, append(appendName(nil, "memory"), kindMemory, 0))
	for _, t := range a.types {
		for i := range len(t) {
			if t[i] == 0 {
				types = append(types, append(appendName([]byte{0x60}, t[:i]), appendName(nil, t[i+1:])...))
			}
		}
	}
	out := append([]byte(nil), header...)
	out = appendSection(out, sectionType, 1, vector(types))
	out = appendSection(out, sectionFunction, 1, vector(functions))
	if a.elements != nil {
		out = appendSection(out, sectionTable, 1, []byte{1, 0x70, 0, byte(len(a.elements))})
	}
	out = appendSection(out, sectionMemory, 1, []byte{1, 0, 1})
	if a.globals != nil {
		out = appendSection(out, sectionGlobal, 1, vector(a.globals))
	}
	out = appendSection(out, sectionExport, 1, vector(exports))
	if a.elements != nil {
		out = appendSection(out, sectionElement, 1, append([]byte{1, 0, byte(opI32Const), 0, byte(opEnd), byte(len(a.elements))}, a.elements...))
	}
	return appendSection(out, sectionCode, 1, vector(code))
}

// run makes an instance, with the host's tick if the module is a copy.
func run(t testing.TB, config wazero.RuntimeConfig, binary []byte, tick func()) api.Module {
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
	m, err := r.Instantiate(ctx, binary)
	require.NoError(t, err)
	return m
}

// runtimes are the two ways to execute a module.
var runtimes = map[string]func() wazero.RuntimeConfig{
	"compiler": wazero.NewRuntimeConfigCompiler, "interpreter": wazero.NewRuntimeConfigInterpreter,
}

func rewrite(t testing.TB, binary []byte) *Copy {
	c, err := Rewrite(binary)
	require.NoError(t, err)
	return c
}
