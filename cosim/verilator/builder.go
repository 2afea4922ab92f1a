package verilator

import (
	"context"
	"errors"
	"os"
	"slices"

	"starloom/cosim"
)

// A builder is one build in a temporary directory.
type builder struct {
	context.Context
	*cosim.Source
	options   *cosim.BuildOptions
	target    target
	cache     cosim.Cache
	work      string            // temporary directory
	hdlDir    string            // where Verilator runs, so that Files are found
	vhdlTop   string            // the top module of GHDL's Verilog
	narrow    []cosim.Warning   // of what may be narrower in it than in the VHDL
	files     []string          // Files as Verilator gets them
	shell     *shell            // the module around the top, nil for none
	types     map[string]string // parameters that are types; Params has the others
	tools     []cosim.ToolVersion
	libraries libraries

	design      *design
	description Description
	said        []byte // what the tools have said of the source
}

func newBuilder(ctx context.Context, s *cosim.Source, o *cosim.BuildOptions, t target) (*builder, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	plain := *s
	b := &builder{Context: ctx, Source: &plain, options: o, target: t}
	plain.Params, b.types = s.Constants(), s.Types()
	needed := append([]cosim.Tool{verilatorTool, t.compiler}, t.tools...)
	if s.VHDL() {
		needed = append(needed, ghdlTool)
	}
	for _, tool := range needed {
		version, err := tool.Version(ctx)
		if err != nil {
			return nil, err
		}
		b.tools = append(b.tools, version)
	}
	var err error
	if t.libraries != nil {
		if b.libraries, err = t.libraries(ctx); err != nil {
			return nil, err
		}
	}
	if b.cache, err = cosim.OpenCache(o.Cache); err != nil {
		return nil, err
	}
	if b.work, err = os.MkdirTemp("", "starloom-cosim-"); err != nil {
		return nil, err
	}
	if b.files, err = b.InLanguage(b.work); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.work))
	}
	return b, nil
}

// compileFlags are the compiler's for everything that goes into the result.
func (b *builder) compileFlags() []string {
	return slices.Concat(commonFlags, b.target.compile)
}
