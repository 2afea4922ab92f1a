package pinmap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"starloom/cosim"
	"starloom/traces/input"
)

// Open builds the RTL on the first call and returns a device with exactly the model's ports. The clocks of the device
// are the model's clocks.
//
// Errors are an *InputError with its place in the map or the sources, or a *Fault of the RTL.
func (m *Map) Open(ctx context.Context, o cosim.Options) (cosim.Device, error) {
	return m.OpenSeeing(ctx, o, cosim.Seeing{})
}

// OpenSeeing is like Open for a device with instrumentation (see Device.Tracer and Device.Counter).
func (m *Map) OpenSeeing(ctx context.Context, o cosim.Options, seeing cosim.Seeing) (cosim.Device, error) {
	model, err := m.NewModel()
	if err != nil {
		return nil, err
	}
	defer model.Close()
	rtl, err := m.openRTL(ctx, o, seeing)
	if err != nil {
		return nil, err
	}
	d, err := m.adapt(model, rtl)
	if err != nil {
		return nil, errors.Join(err, rtl.Close())
	}
	return d, nil
}

func (m *Map) openRTL(ctx context.Context, o cosim.Options, seeing cosim.Seeing) (cosim.Device, error) {
	if err := m.checkSource(); err != nil {
		return nil, err
	}
	if err := m.checkSeeing(seeing); err != nil {
		return nil, err
	}
	as := builtAs{m.backend(), seeing}
	design := m.built().designs[as]
	if design == nil {
		source, err := m.source()
		if err != nil {
			return nil, err
		}
		if m.Goals != nil && m.Goals.Evaluated && as.backend == cosim.BackendWasm {
			text, _ := m.Goals.Text.Checked()
			if source, err = m.withText(&source, text); err != nil {
				return nil, err
			}
		}
		if design, err = m.loadOrBuild(ctx, source, seeing); err != nil {
			return nil, m.inMap(err)
		}
		m.built().designs[as], m.built().ifdefs = design, m.original().Ifdefs(m.backend())
	}
	d, err := design.Open(o)
	m.built().warnings = append(slices.Clip(design.Warnings()), m.built().ifdefs...)
	if err != nil {
		return nil, m.inMap(err)
	}
	return d, nil
}

func (m *Map) loadOrBuild(ctx context.Context, source cosim.Source, seeing cosim.Seeing) (cosim.Design, error) {
	b := m.Backends[slices.IndexFunc(m.Backends, func(b cosim.Backend) bool { return b.Name == m.backend() })]
	if m.Image == "" {
		options := m.Build
		options.Seeing = seeing
		return b.Build(ctx, source, options)
	}
	wasm, err := input.Read(m.Image, cosim.InputBytesMax)
	if err != nil {
		return nil, m.refuse("image",
			fmt.Sprintf("%s cannot be read: %v", m.Image, cosim.Reason(err)),
			"make it with `starloom cosim build`")
	}
	return b.Load(wasm)
}

func (m *Map) checkSource() error {
	var backends []string
	for _, b := range m.Backends {
		backends = append(backends, b.Name)
	}
	if !slices.Contains(backends, m.backend()) {
		return m.refuse("backend", fmt.Sprintf("there is no backend %q", m.backend()), input.RemedyOf(m.backend(), backends))
	}
	if m.Image != "" {
		if m.Backend != "" && m.Backend != cosim.BackendWasm {
			return m.refuse("image", "an image needs backend: wasm, but backend is "+m.Backend, "give sources instead")
		}
		if len(m.Source.Files) > 0 {
			return m.refuse("image", "both sources and an image are given", "delete one")
		}
		return nil
	}
	if m.Source.Top == "" {
		return m.refuse("", "no top module is named", "add top: the name of the RTL's module")
	}
	if len(m.Source.Files) == 0 {
		return m.refuse("", "no source is given", "add sources: [FILE], or image: FILE.wasm")
	}
	for i, file := range m.Source.Files {
		if _, err := os.Stat(file); err != nil {
			return m.refuse(fmt.Sprintf("sources[%d]", i),
				fmt.Sprintf("%s cannot be read: %v", file, cosim.Reason(err)),
				"give a path relative to the map's folder")
		}
	}
	return nil
}

func (m *Map) inMap(err error) error {
	var bad *cosim.InputError
	if !errors.As(err, &bad) {
		return err
	}
	if remedy, ok := strings.CutSuffix(bad.Remedy, cosim.WithInclude); ok {
		return &cosim.InputError{Place: bad.Place, Reason: bad.Reason, Remedy: remedy + "under include: [DIR]"}
	}
	key, ok := strings.CutPrefix(bad.Place, "--")
	switch {
	case key == "param":
		return m.refuse("params", bad.Reason, bad.Remedy)
	case ok:
		return m.refuse(strings.ReplaceAll(key, "-", "_"), bad.Reason, bad.Remedy)
	case bad.Place == "" && m.Image != "":
		return m.refuse("image", m.Image+": "+bad.Reason, bad.Remedy)
	}
	return err
}

// CanShow reports whether devices of the map can be Tracers. An image has only the instrumentation built into it.
func (m *Map) CanShow() bool { return m.Image == "" }

func (m *Map) checkSeeing(seeing cosim.Seeing) error {
	switch {
	case seeing.Internals && !m.CanShow():
		return cosim.ErrUnseen
	case !seeing.Coverage:
		return nil
	case m.Image != "":
		return m.refuse("image", "an image records no coverage of the RTL", "give top and sources instead")
	case m.backend() != cosim.BackendWasm:
		return m.refuse("backend", "coverage of RTL needs backend: wasm, but backend is "+m.backend(),
			"delete backend, or do not request coverage")
	case m.Source.VHDL():
		return m.refuse("sources", "coverage of VHDL is not counted: its lines differ from the lines of the Verilog that "+
			"ghdl "+
			"generates", "do not request coverage")
	}
	return nil
}
