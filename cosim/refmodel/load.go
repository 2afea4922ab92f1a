package refmodel

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/firmware/wasm"
	"starloom/traces/input"
)

// Load compiles a model and tests that settle only writes outputs. Errors are *InputError without a place.
func Load(image []byte) (*Model, error) {
	m := &Model{}
	var err error
	if m.copy, err = wasm.Rewrite(image); err != nil {
		return nil, refuse(err.Error(), "build the model with `starloom cosim build`")
	}
	ctx := context.Background()
	m.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryPagesMax))
	if err = m.compile(ctx); err == nil {
		err = m.examine()
	}
	if err != nil {
		_ = m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Model) compile(ctx context.Context) (err error) {
	_, err = m.runtime.NewHostModuleBuilder(wasm.TickModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(tick), nil, nil).Export(wasm.TickName).Instantiate(ctx)
	if err != nil {
		return err
	}
	if m.compiled, err = m.runtime.CompileModule(ctx, m.copy.Binary); err != nil {
		return refuse("broken WebAssembly: "+m.copy.Named(err).Error(), "build the model again")
	}
	for _, f := range m.compiled.ImportedFunctions() {
		if module, name, _ := f.Import(); module != wasm.TickModule {
			return refuse(fmt.Sprintf("imports %s.%s, but a model has no imports", module, name),
				"build it without a runtime library: -nostdlib, #![no_std]")
		}
	}
	if m.compiled.ExportedMemories()["memory"] == nil {
		return refuse("does not export its memory as \"memory\"", "export the memory")
	}
	return m.readExports()
}

// LoadGiven loads the model whose image is the only file of the source. It implements twin.Given.Load.
func LoadGiven(_ context.Context, g *twin.Given, _ cosim.BuildOptions) error {
	file := g.Source.Files[0]
	image, err := input.Read(file, cosim.InputBytesMax)
	if err != nil {
		return &cosim.InputError{Place: "--image", Reason: fmt.Sprintf("%s cannot be read: %v", file, cosim.Reason(err)),
			Remedy: "give a path relative to the map's folder; `starloom cosim build model.c` makes an image"}
	}
	if !Is(image) {
		return &cosim.InputError{Place: "--image", Reason: file + " is not a model: it exports no ports",
			Remedy: remedyHeader + "; RTL as the model needs its sources: model: {top: MODULE, sources: [FILE]}"}
	}
	m, err := Load(image)
	if err != nil {
		return inImage(file, err)
	}
	if g.Clock, g.Reset = "", ""; m.clocked {
		g.Clock, g.Reset = "clock", "reset"
	}
	g.Shape = &twin.Shape{Ports: m.Ports(), Close: m.Close,
		Open: func() (cosim.Device, error) { return m.Open(cosim.Options{}) }}
	for _, r := range m.registers {
		g.Shape.Registers = append(g.Shape.Registers, r.GivenRegister)
	}
	return nil
}

// inImage adds the name of the image to an error of Load.
func inImage(file string, err error) error {
	if bad, ok := err.(*cosim.InputError); ok {
		return &cosim.InputError{Place: "--image", Reason: file + ": " + bad.Reason, Remedy: bad.Remedy}
	}
	return fmt.Errorf("%s: %w", file, err)
}
