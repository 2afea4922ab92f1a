package slang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"starloom/cosim"
)

// features of WebAssembly that Yosys' build uses.
const features = api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling | experimental.CoreFeaturesTailCall |
	experimental.CoreFeaturesExtendedConst | experimental.CoreFeaturesTypedFunctionReferences

const memoryPagesMax = 32768 // 2 GiB

// A Reader is Yosys, compiled to machine code. Several goroutines may share a Reader.
type Reader struct {
	runtime  wazero.Runtime
	kept     wazero.CompilationCache
	compiled wazero.CompiledModule
}

// Open loads Yosys. The first call takes half a minute of processor time to compile it. Later calls take a few seconds,
// because the machine code, 250 MB, is kept in the cache.
func Open(ctx context.Context, o cosim.BuildOptions) (r *Reader, err error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	cache, err := cosim.OpenCache(o.Cache)
	if err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, broken(path, "cannot be read: %v", cosim.Reason(err))
	}
	r = &Reader{}
	if r.kept, err = wazero.NewCompilationCacheWithDir(filepath.Join(cache.Dir, "slang")); err != nil {
		return nil, err
	}
	r.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(features).
		WithMemoryLimitPages(memoryPagesMax).WithCloseOnContextDone(true).WithCompilationCache(r.kept))
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, r.runtime); err == nil {
		r.compiled, err = r.runtime.CompileModule(ctx, wasm)
	}
	if err != nil {
		return nil, errors.Join(broken(path, "does not run: %v", err), r.Close())
	}
	return r, nil
}

func broken(path, reason string, err error) error {
	return &cosim.InputError{Place: path, Reason: fmt.Sprintf(reason, err), Remedy: "install it again: " + Install()}
}

// Close releases the machine code.
func (r *Reader) Close() error {
	ctx := context.Background()
	return errors.Join(r.runtime.Close(ctx), r.kept.Close(ctx))
}

// work is the folder of a run as Yosys sees it.
const work = "/starloom-slang"

// Run runs a script of Yosys, which may read all files of the machine, and write files in dir, which it sees as
// /starloom-slang. It returns Yosys' output.
func (r *Reader) Run(ctx context.Context, dir, script string) (log string, err error) {
	if err := os.WriteFile(filepath.Join(dir, "script.ys"), []byte(script), 0o644); err != nil {
		return "", err
	}
	var said bytes.Buffer
	config := wazero.NewModuleConfig().WithName("").WithArgs("yosys", "-Q", "-T", "-s", work+"/script.ys").
		WithStdout(&said).WithStderr(&said).
		WithFSConfig(wazero.NewFSConfig().WithReadOnlyDirMount("/", "/").WithDirMount(dir, work))
	m, err := r.runtime.InstantiateModule(ctx, r.compiled, config)
	if m != nil {
		err = errors.Join(err, m.Close(context.WithoutCancel(ctx)))
	}
	if ended := ctx.Err(); ended != nil {
		return "", ended
	}
	return said.String(), err
}

// Netlist reads a design and returns it as one module of plain Verilog, with the ports of the top module. X of the
// source stay X. Assertions, $fatal and similar checks are omitted. A design that slang rejects is an *InputError.
func (r *Reader) Netlist(ctx context.Context, s cosim.Source) (verilog string, err error) {
	if len(s.Files) == 0 || s.VHDL() {
		return "", &cosim.InputError{Place: s.Top, Reason: "slang reads only Verilog and SystemVerilog",
			Remedy: "nothing else depends on slang: go on without it"}
	}
	dir, err := os.MkdirTemp("", "starloom-slang-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	files, err := s.InLanguage(dir)
	if err != nil {
		return "", err
	}
	for i := range files {
		if files[i], err = filepath.Abs(files[i]); err != nil {
			return "", err
		}
	}
	log, err := r.read(ctx, &s, dir, files)
	if err != nil && ctx.Err() == nil {
		muted, other := mute(files, dir, log)
		if other != nil {
			return "", other
		}
		if muted != nil {
			log, err = r.read(ctx, &s, dir, muted)
		}
	}
	if err != nil {
		return "", refused(ctx, &s, log, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, netlist))
	return string(text), err
}

const (
	commands = "slang.f"
	netlist  = "netlist.v"
)

// read reads files and writes a netlist. No pass folds constants, because that would choose values of X. Without the
// attributes of unique and priority, proc makes multiplexers in which the first match wins. A $pmux that it still makes
// has constants that exclude each other.
func (r *Reader) read(ctx context.Context, s *cosim.Source, dir string, files []string) (log string, err error) {
	args, err := arguments(s, files)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, arg := range args {
		fmt.Fprintf(&text, "\"%s\"\n", strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(arg))
	}
	if err := os.WriteFile(filepath.Join(dir, commands), []byte(text.String()), 0o644); err != nil {
		return "", err
	}
	return r.Run(ctx, dir, strings.Join([]string{
		"read_slang -f " + work + "/" + commands, "attrmap -remove parallel_case -remove full_case", "proc -noopt",
		"delete t:$print t:$check t:$scopeinfo", "pmuxtree", "simplemap t:$bwmux", "opt_clean -purge",
		"write_verilog -noattr " + work + "/" + netlist,
	}, "\n")+"\n")
}

// arguments returns slang's arguments for files in the place of the source's.
func arguments(s *cosim.Source, files []string) ([]string, error) {
	args := []string{"-j", "1", "--no-proc", "--no-synthesis-define", "--ignore-assertions",
		"--no-default-translate-off-format", "--error-limit", "0", "--single-unit", "--libraries-inherit-macros",
		"--top", s.Top, "-Y", ".v", "-Y", ".sv"}
	constants := s.Constants()
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		args = append(args, "-G", name+"="+constants[name])
	}
	same := s.ForVerilator()
	for _, name := range slices.Sorted(maps.Keys(same.Defines)) {
		args = append(args, "-D", name+"="+same.Defines[name])
	}
	for i, name := range slices.Concat(s.IncludeDirs, s.Files) {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		if i < len(s.IncludeDirs) {
			args = append(args, "-I", abs, "-y", abs)
		} else { // a copy of the file includes from the folder of the file
			args = append(args, "-I", filepath.Dir(abs))
		}
	}
	return append(args, files...), nil
}
