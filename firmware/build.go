package firmware

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"starloom/traces"
	"starloom/traces/input"
)

//go:embed sdk/*.h
var sdk embed.FS

// BuildOptions say what to build.
type BuildOptions struct {
	Source string // C or C++ (.cc, .cpp, .cxx) source that includes starloom.h
	Output string // image to write, "-" for standard output; "" for the source's name with .wasm
	Clang  string // compiler; "" for clang

	// Debug makes a checked build: -O1 and -DSTARLOOM_CHECKED, see the end of starloom.h.
	Debug bool

	Warnings io.Writer // what the compiler says of a source that compiles; nil: nobody listens
}

// clangFlags make small, deterministic images with line information: no path of
// the machine gets into them.
var clangFlags = []string{
	"--target=wasm32", "-g", "-ffreestanding", "-nostdlib",
	"-mbulk-memory", "-msign-ext", "-mmutable-globals",
	"-Wall", "-Wextra", "-Wno-unused-parameter", "-fdebug-compilation-dir=.", "-c",
}

// releaseFlags and debugFlags are those of the two kinds of builds. What the sanitizer calls is
// in starloom.h; WebAssembly has no alignment that matters.
var (
	releaseFlags = []string{"-O2"}
	debugFlags   = []string{"-O1", "-DSTARLOOM_CHECKED", "-fsanitize=undefined", "-fno-sanitize=alignment,function,vptr",
		"-fno-sanitize-recover=undefined", "-fsanitize-undefined-strip-path-components=-1"}
)

// languageFlags are those of a source's language, by the ending of its name: C, or C++
// without what needs a library.
var (
	cFlags        = []string{"-std=c11"}
	cxxFlags      = []string{"-std=c++17", "-fno-exceptions", "-fno-rtti"}
	languageFlags = map[string][]string{".c": cFlags, ".cc": cxxFlags, ".cpp": cxxFlags, ".cxx": cxxFlags}
)

// linkFlags are wasm-ld's. clang's driver does not link: where binaryen is installed
// it would run wasm-opt, which drops names and lines and makes other bytes.
var linkFlags = []string{
	"-m", "wasm32", "--no-entry", "--stack-first", "-z", "stack-size=16384", "--export=__stack_pointer",
}

const linker = "wasm-ld"

// Build compiles a C source into an image with clang and wasm-ld and checks it
// against the ABI. The output is replaced only when all went well.
func Build(ctx context.Context, o BuildOptions) (err error) {
	if o.Output == "" {
		o.Output = strings.TrimSuffix(o.Source, filepath.Ext(o.Source)) + ".wasm"
	}
	if o.Clang == "" {
		o.Clang = "clang"
	}
	info, err := os.Stat(o.Source)
	if err != nil {
		return fmt.Errorf("firmware source %s: %w: give the path of a C or C++ source", o.Source, input.WithoutPath(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("firmware source %s: this is not a regular file: give a C or C++ source", o.Source)
	}
	language := languageFlags[filepath.Ext(o.Source)]
	if language == nil {
		return fmt.Errorf("firmware source %s: this is not a C or C++ source: give a file whose name ends in .c, .cc, .cpp or .cxx", o.Source)
	}
	if old, err := os.Stat(o.Output); err == nil && os.SameFile(info, old) {
		return fmt.Errorf("the image would replace its source %s: give another output", o.Source)
	}
	output, err := traces.Create(o.Output)
	if err != nil {
		return err
	}
	defer output.Abort()
	for _, tool := range []string{o.Clang, linker} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is needed to build firmware and is not on the PATH: install the packages clang and lld", tool)
		}
	}
	work, err := os.MkdirTemp("", "starloom-build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if err := os.CopyFS(work, sdk); err != nil {
		return err
	}
	source, err := filepath.Abs(o.Source)
	if err != nil {
		return err
	}
	resources, err := exec.CommandContext(ctx, o.Clang, "-print-resource-dir").Output()
	if err != nil {
		return fmt.Errorf("%s -print-resource-dir: %w", o.Clang, err)
	}
	kind := releaseFlags
	if o.Debug {
		kind = debugFlags
	}
	object, image := filepath.Join(work, "image.o"), filepath.Join(work, "image.wasm")
	for _, command := range []*exec.Cmd{
		exec.CommandContext(ctx, o.Clang, append([]string{
			"-ffile-prefix-map=" + filepath.Dir(source) + "/=",
			"-ffile-prefix-map=" + work + "/=",
			"-ffile-prefix-map=" + strings.TrimSpace(string(resources)) + "/=clang/",
			"-I", filepath.Join(work, "sdk"), "-o", object, source,
		}, slices.Concat(language, clangFlags, kind)...)...),
		exec.CommandContext(ctx, linker, append([]string{"-o", image, object}, linkFlags...)...),
	} {
		out, err := command.CombinedOutput()
		// The header's copy is gone when somebody reads this.
		out = bytes.ReplaceAll(out, []byte(work+string(filepath.Separator)), nil)
		if err != nil {
			return fmt.Errorf("%s does not compile (%w):\n%s", o.Source, err, out)
		}
		if o.Warnings != nil {
			if _, err := o.Warnings.Write(out); err != nil {
				return err
			}
		}
	}
	wasm, err := os.ReadFile(image)
	if err != nil {
		return err
	}
	host, err := NewHost(ctx, "interpreter")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	if _, err := host.Load(o.Source, wasm); err != nil {
		return fmt.Errorf("%s: %w", o.Source, err)
	}
	if _, err := output.Write(wasm); err != nil {
		return err
	}
	return output.Commit()
}
