package verilator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"starloom/cosim"
)

func (b *builder) compile(path string) error {
	if err := eachGlueFile(func(name string, text []byte) error {
		to := filepath.Join(b.work, name)
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
	}); err != nil {
		return err
	}
	b.options.Step("verilator translates " + b.Top)
	translated := filepath.Join(b.work, "verilated")
	said, err := b.verilate(append([]string{"--Mdir", translated}, b.translationFlags()...)...)
	if err != nil {
		return err
	}
	b.note(said)
	if b.options.Seeing != (cosim.Seeing{}) {
		if err := b.likePlain(translated); err != nil {
			return err
		}
	}
	if err := b.writeModel(translated); err != nil {
		return err
	}
	objects, include, err := b.runtime()
	if err != nil {
		return err
	}
	b.options.Step(b.target.compiler.Command + " compiles " + b.Top)
	object := filepath.Join(b.work, "glue.o")
	if err := b.compilesDesign(include, object); err != nil {
		return err
	}
	if err := b.link(path, append([]string{object}, objects...)...); err != nil {
		return err
	}
	return b.description.attach(path)
}

func (b *builder) writeModel(translated string) error {
	sources, err := filepath.Glob(filepath.Join(translated, "*.cpp"))
	if err != nil {
		return err
	}
	var model strings.Builder
	model.WriteString("#include \"Vdut.h\"\n#include \"Vdut__Syms.h\"\n")
	for _, source := range sources {
		fmt.Fprintf(&model, "#include %q\n", filepath.Base(source))
	}
	header, err := os.ReadFile(filepath.Join(translated, "Vdut.h"))
	if err != nil {
		return err
	}
	members, err := b.members(header)
	if err != nil {
		return err
	}
	root := filepath.Join(translated, "Vdut___024root.h")
	if err := errors.Join(unreferenced(translated), reschedule(sources, root)); err != nil {
		return err
	}
	declared, err := os.ReadFile(root)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(b.work, "model.h"), []byte(model.String()), 0o644),
		os.WriteFile(filepath.Join(b.work, "wanted.h"), []byte(b.wantedHeader()), 0o644),
		os.WriteFile(filepath.Join(b.work, "ports.h"), []byte(b.portsHeader(members, string(declared))), 0o644),
	)
}

// runtime returns the objects of Verilator's library, which all designs share, and the compiler options for its
// headers.
func (b *builder) runtime() (objects []string, include []string, err error) {
	root, err := b.verilatorInclude()
	if err != nil {
		return nil, nil, err
	}
	include = []string{"-I" + root, "-I" + filepath.Join(root, "vltstd")}
	for _, unit := range b.runtimeUnits() {
		source := filepath.Join(root, unit)
		text, err := os.ReadFile(source)
		if err != nil {
			return nil, nil, &cosim.InputError{
				Place:  source,
				Reason: fmt.Sprintf("Verilator's library is not complete: %v", cosim.Reason(err)),
				Remedy: "install the Debian package verilator again",
			}
		}
		name := "runtime-" + b.runtimeHash(text) + "-" + strings.TrimSuffix(unit, ".cpp") + ".o"
		object, err := b.cache.Take(name, func(path string) error {
			b.options.Step(b.target.compiler.Command + " compiles Verilator's library, which happens once")
			return b.compilesIn(b.work,
				append(slices.Clone(include), "-ffile-prefix-map="+root+"/=", "-c", source, "-o", path)...)
		})
		if err != nil {
			return nil, nil, err
		}
		objects = append(objects, object)
	}
	return objects, include, nil
}

var foundIncludes sync.Map

func (b *builder) verilatorInclude() (string, error) {
	if known, ok := foundIncludes.Load(b.tools[0]); ok {
		return known.(string), nil
	}
	out, err := cosim.Command(b, "", verilatorTool.Command, "--getenv", "VERILATOR_ROOT").Output()
	if stop := cosim.Stopped(b, verilatorTool.Command, "--getenv VERILATOR_ROOT", err); stop != nil {
		return "", stop
	}
	if err != nil {
		return "", &cosim.ToolError{
			Tool:   verilatorTool.Command,
			Place:  "--getenv VERILATOR_ROOT",
			Reason: err.Error(),
			Remedy: "install the Debian package verilator again",
			Err:    err,
		}
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "include")
	foundIncludes.Store(b.tools[0], root)
	return root, nil
}
