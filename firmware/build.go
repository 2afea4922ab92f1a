package firmware

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"starloom/traces"
	"starloom/traces/input"
)

//go:embed sdk
var sdk embed.FS

// WriteSDK writes the SDK (headers and the shim for native unit tests) and the sources of the given built-in programs
// to a folder. It writes all files or none. Errors name the remedy.
func WriteSDK(folder string, programs ...string) error {
	files, err := sdkFiles(programs)
	if err != nil {
		return err
	}
	_, before := os.Stat(folder)
	if err := traces.MakeFolder(folder); err != nil {
		return err
	}
	var outputs traces.Files
	defer func() {
		outputs.Abort()
		if before != nil {
			_ = os.Remove(folder) // fails if the folder is not empty
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := outputs.Create(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if _, err := file.Write(files[name]); err != nil {
			return err
		}
	}
	return outputs.Commit()
}

func sdkFiles(programs []string) (map[string][]byte, error) {
	files := map[string][]byte{}
	headers, err := sdk.ReadDir("sdk")
	if err != nil {
		return nil, err
	}
	for _, h := range headers {
		if files[h.Name()], err = sdk.ReadFile("sdk/" + h.Name()); err != nil {
			return nil, err
		}
	}
	for _, name := range programs {
		if err := addSources(files, name+".c"); err != nil {
			return nil, unknown(name)
		}
	}
	return files, nil
}

var included = regexp.MustCompile(`(?m)^#include "([^"]+\.c)"`)

func addSources(files map[string][]byte, source string) error {
	text, err := sources.ReadFile("programs/" + source)
	if err != nil {
		return err
	}
	files[path.Base(source)] = text
	for _, other := range included.FindAllSubmatch(text, -1) {
		if err := addSources(files, path.Join(path.Dir(source), string(other[1]))); err != nil {
			return err
		}
	}
	return nil
}

// BuildOptions are the sources and settings of a firmware build.
type BuildOptions struct {
	Source  string   // C or C++ (.cc, .cpp, .cxx) source that includes starloom.h; "-": C from standard input
	More    []string // further sources
	Output  string   // image file, "-" for standard output; "" for the source's name with the suffix .wasm
	Level   string   // optimisation, one of Levels; "" for 2, or 1 with Debug
	Define  []string // macros: NAME or NAME=VALUE
	Include []string // header folders
	Clang   string   // "" for clang
	Target  string   // one of Targets; "" for the first

	// Debug defines STARLOOM_CHECKED; see the end of starloom.h.
	Debug bool

	// Verify checks the image; nil checks it against the ABI.
	Verify func(image []byte) error

	Warnings io.Writer // receives the compiler's warnings; nil drops them
}

// Levels are the optimisation levels of clang's option -O.
var Levels = []string{"0", "1", "2", "3", "s", "z"}

var macro = regexp.MustCompile(`^[A-Za-z_]\w*(=[^\n]*)?$`)

// clangFlags produce small, deterministic images with line information and without host paths.
var clangFlags = []string{
	"--target=wasm32", "-g", "-ffreestanding", "-nostdlib",
	"-mbulk-memory", "-msign-ext", "-mmutable-globals",
	"-Wall", "-Wextra", "-Wno-unused-parameter", "-fdebug-compilation-dir=.", "-c",
}

// debugFlags produce a checked build, in which the sanitizer calls functions of starloom.h. WebAssembly does not
// require alignment.
var debugFlags = []string{
	"-DSTARLOOM_CHECKED", "-fsanitize=undefined", "-fno-sanitize=alignment,function,vptr",
	"-fno-sanitize-recover=undefined", "-fsanitize-undefined-strip-path-components=-1",
}

// languageFlags select C, or C++ without features that require a library, by the suffix of the source.
var (
	cFlags        = []string{"-std=c11", "-Werror=implicit-function-declaration"}
	cxxFlags      = []string{"-std=c++17", "-fno-exceptions", "-fno-rtti", "-fstandalone-debug"}
	languageFlags = map[string][]string{".c": cFlags, ".cc": cxxFlags, ".cpp": cxxFlags, ".cxx": cxxFlags}
)

// wasmLinkFlags are the options of wasm-ld. clang's driver is not used, because it would run binaryen's wasm-opt, which
// drops names and lines.
var wasmLinkFlags = []string{
	"-m", "wasm32", "--no-entry", "--stack-first", "-z", "stack-size=16384", "--export=__stack_pointer",
}

// Build compiles C and C++ sources and checks the image against the ABI. An existing output is replaced only on
// success.
func Build(ctx context.Context, o BuildOptions) (err error) {
	if o.Source == input.StandardInput && o.Output == "" {
		return fmt.Errorf("%s: it names no image: give -o OUT.wasm", input.StandardInputName)
	}
	o.setDefaults()
	if err := o.check(); err != nil {
		return err
	}
	output, err := traces.Create(o.Output)
	if err != nil {
		return err
	}
	defer output.Abort()
	if err := o.findTools(); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "starloom-build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b := &compilation{BuildOptions: o, ctx: ctx, work: work}
	if err := b.keepStandardInput(); err != nil {
		return err
	}
	if err := b.compile(); err != nil {
		return err
	}
	image, err := b.link()
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(b.Source, work+string(filepath.Separator))
	if o.Verify == nil {
		err = verify(ctx, name, image)
	} else if err = o.Verify(image); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	if err != nil {
		return err
	}
	if _, err := output.Write(image); err != nil {
		return err
	}
	return output.Commit()
}

func (o *BuildOptions) setDefaults() {
	if o.Output == "" {
		o.Output = strings.TrimSuffix(o.Source, filepath.Ext(o.Source)) + o.suffix()
	}
	if o.Clang == "" {
		o.Clang = "clang"
	}
	if o.Level == "" {
		o.Level = "2"
		if o.Debug {
			o.Level = "1"
		}
	}
}

func (o *BuildOptions) check() error {
	if o.Target != "" && !slices.Contains(Targets, o.Target) {
		return fmt.Errorf("--target %s: unknown target: give one of %s", o.Target, strings.Join(Targets, ", "))
	}
	if o.Debug && o.ofRV32() {
		return fmt.Errorf("--debug with --target %s: checked builds are WebAssembly images: delete one", o.Target)
	}
	if !slices.Contains(Levels, o.Level) {
		return fmt.Errorf("-O %s: unknown level: give one of %s", o.Level, strings.Join(Levels, ", "))
	}
	for _, define := range o.Define {
		if !macro.MatchString(define) {
			return fmt.Errorf("-D %s: not a macro: give NAME or NAME=VALUE", define)
		}
	}
	for _, folder := range o.Include {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("-I %s: not a folder: give a folder with headers", folder)
		}
	}
	sources := o.sources()
	for k, source := range sources {
		if slices.Contains(sources[:k], source) {
			return fmt.Errorf("firmware source %s: given twice: delete one", source)
		}
		if err := checkSource(source, o.Output); err != nil {
			return err
		}
	}
	return nil
}

func (o *BuildOptions) sources() []string { return append([]string{o.Source}, o.More...) }

func (o *BuildOptions) findTools() error {
	for _, tool := range []string{o.Clang, o.linker()} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is needed to build firmware, but is not on the PATH: "+
				"install the packages clang and lld", tool)
		}
	}
	return nil
}

type compilation struct {
	BuildOptions
	ctx     context.Context
	work    string   // folder for the copied headers and the objects
	objects []string // one object per source
}

// keepStandardInput writes standard input to a file for the compiler. Headers are found as from a source in the
// current folder.
func (b *compilation) keepStandardInput() error {
	for k, source := range b.sources() {
		if source != input.StandardInput {
			continue
		}
		text, name, err := input.Argument(source, sourceBytesMax)
		if err != nil {
			return fmt.Errorf("%s: %w: give the path of a C or C++ source", name, err)
		}
		kept := filepath.Join(b.work, "standard-input.c")
		if b.Include = append(slices.Clip(b.Include), "."); k == 0 {
			b.Source = kept
		} else {
			b.More = slices.Clone(b.More)
			b.More[k-1] = kept
		}
		return os.WriteFile(kept, text, 0o600)
	}
	return nil
}

const sourceBytesMax = 64 << 20

func (b *compilation) compile() error {
	if err := os.CopyFS(b.work, sdk); err != nil {
		return err
	}
	resources, err := b.resources()
	if err != nil {
		return err
	}
	var commands []*exec.Cmd
	for k, source := range b.compiled() {
		object := filepath.Join(b.work, fmt.Sprintf("image%d.o", k))
		flags, err := b.flags(source, object, resources)
		if err != nil {
			return err
		}
		commands = append(commands, exec.CommandContext(b.ctx, b.Clang, flags...))
		b.objects = append(b.objects, object)
	}
	for k, command := range commands {
		if err := b.run(command, b.compiled()[k]+" does not compile"); err != nil {
			return err
		}
	}
	return nil
}

// resourceFolders caches the resource folder of each compiler, because starting a compiler takes a third of the time
// of a small build.
var resourceFolders sync.Map

func (b *compilation) resources() (string, error) {
	path, err := exec.LookPath(b.Clang)
	if err != nil {
		return "", err
	}
	if known, ok := resourceFolders.Load(path); ok {
		return known.(string), nil
	}
	folder, err := exec.CommandContext(b.ctx, path, "-print-resource-dir").Output()
	if err != nil {
		return "", fmt.Errorf("%s -print-resource-dir: %w", b.Clang, err)
	}
	known, _ := resourceFolders.LoadOrStore(path, strings.TrimSpace(string(folder)))
	return known.(string), nil
}

// clang 16 and later need a flag to check arrays at the end of a struct. The name of the resource folder contains the
// version.
func arraysOfStructs(resources string) []string {
	major, _, _ := strings.Cut(filepath.Base(resources), ".")
	if version, err := strconv.Atoi(major); err != nil || version < 16 {
		return nil
	}
	return []string{"-fstrict-flex-arrays=1"}
}

func (b *compilation) flags(path, object, resources string) ([]string, error) {
	source, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	flags := []string{
		"-ffile-prefix-map=" + filepath.Dir(source) + "/=",
		"-ffile-prefix-map=" + b.work + "/=",
		"-ffile-prefix-map=" + resources + "/=clang/",
		"-I", filepath.Join(b.work, "sdk"), "-O" + b.Level, "-o", object, source,
	}
	for _, define := range b.Define {
		flags = append(flags, "-D"+define)
	}
	for _, folder := range b.Include {
		flags = append(flags, "-I", folder, "-ffile-prefix-map="+filepath.Clean(folder)+"/=")
	}
	var checks []string
	if b.Debug {
		checks = slices.Concat(debugFlags, arraysOfStructs(resources))
	}
	return slices.Concat(flags, languageFlags[filepath.Ext(path)], b.targetFlags(), checks), nil
}

func (b *compilation) link() ([]byte, error) {
	image := filepath.Join(b.work, "image")
	command := exec.CommandContext(b.ctx, b.linker(), slices.Concat([]string{"-o", image}, b.linked(), b.linkFlags())...)
	what := "the image of " + strings.Join(b.sources(), ", ") + " does not link"
	if err := b.run(command, what); err != nil {
		return nil, err
	}
	return os.ReadFile(image)
}

func (b *compilation) run(command *exec.Cmd, what string) error {
	out, err := command.CombinedOutput()
	// replace paths of temporary files
	for k, object := range b.objects {
		out = bytes.ReplaceAll(out, []byte(object), []byte(b.compiled()[k]))
	}
	out = bytes.ReplaceAll(out, []byte(b.work+string(filepath.Separator)), nil)
	if err != nil {
		what = strings.ReplaceAll(what, b.work+string(filepath.Separator), "")
		return fmt.Errorf("%s (%w):\n%s", what, err, strings.TrimSuffix(string(out)+buildRemedy(out), "\n"))
	}
	if b.Warnings == nil {
		return nil
	}
	_, err = b.Warnings.Write(out)
	return err
}

func verify(ctx context.Context, name string, image []byte) (err error) {
	host, err := NewHost(ctx, "interpreter")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	if _, err := host.Load(name, image); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Messages of clang and wasm-ld about missing libraries, headers and symbols. clang 18 and later add line numbers.
var (
	noLibrary = regexp.MustCompile(`file not found\s+(?:\d+ \| )?#\s*include\s*<`)
	noHeader  = regexp.MustCompile(`file not found\s+(?:\d+ \| )?#\s*include\s*"`)
	noSymbol  = regexp.MustCompile(`undefined symbol: `)
)

func buildRemedy(said []byte) string {
	const freestanding = "firmware is freestanding, without a C or C++ library"
	switch {
	case noLibrary.Match(said):
		return freestanding + ": use starloom.h, the compiler's own headers such as stdint.h, and its builtins such " +
			"as __builtin_memset and __builtin_memcpy"
	case noHeader.Match(said):
		return "give the header's folder with -I"
	case noSymbol.Match(said):
		return freestanding + ": define the symbol, or add the source that defines it"
	}
	return ""
}

func checkSource(source, output string) error {
	if source == input.StandardInput {
		return nil
	}
	info, err := os.Stat(source)
	if err != nil {
		return fmt.Errorf("firmware source %s: %w: give the path of a C or C++ source", source, input.WithoutPath(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("firmware source %s: not a regular file: give a C or C++ source", source)
	}
	if languageFlags[filepath.Ext(source)] == nil {
		return fmt.Errorf("firmware source %s: not a C or C++ source: give a file whose name ends in .c, .cc, "+
			".cpp or .cxx", source)
	}
	if old, err := os.Stat(output); err == nil && os.SameFile(info, old) {
		return fmt.Errorf("the image would replace its source %s: give another output", source)
	}
	return nil
}
