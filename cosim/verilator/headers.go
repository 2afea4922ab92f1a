package verilator

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// commonHeaders holds the includes of every design. Parsing these headers takes two thirds of the build time of a
// small design.
const commonHeaders = `#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>
#include <algorithm>
#include "verilated.h"
`

// headers returns the path of the precompiled common headers, built once for all designs, and the compiler options to
// use the headers. The path is "" if the headers cannot be built.
func (b *builder) headers(include []string) (path string, take []string) {
	name := "runtime-" + b.runtimeHash([]byte(commonHeaders)) + "-headers"
	path, err := b.cache.Take(name+".pch", func(path string) error {
		b.options.Step(b.target.compiler.Command + " reads Verilator's headers, which happens once")
		dir, err := b.headersDir(name)
		if err != nil {
			return err
		}
		return b.compilesIn(dir, append(slices.Clone(include), "-x", "c++-header", "common.h", "-o", path)...)
	})
	if err != nil {
		return "", nil
	}
	return path, []string{"-include-pch", path}
}

// headersDir returns a cache folder with Starloom's own headers. Clang accepts precompiled headers only while these
// files are unchanged.
func (b *builder) headersDir(name string) (string, error) {
	dir := filepath.Join(b.cache.Dir, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	fresh, err := os.MkdirTemp(b.cache.Dir, ".build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	put := func(name string, text []byte) error {
		to := filepath.Join(fresh, name)
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
	}
	if err := errors.Join(put("common.h", []byte(commonHeaders)), eachGlueFile(func(name string, text []byte) error {
		if name != "shim.h" && !strings.HasPrefix(name, "wasi/") {
			return nil
		}
		return put(name, text)
	}), os.Chmod(fresh, 0o755)); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, made := os.Stat(dir); made != nil { // another process may have created the folder
			return "", err
		}
	}
	return dir, nil
}

// compilesDesign compiles glue.cpp with the design. Precompiled headers that clang rejects as outdated are removed.
func (b *builder) compilesDesign(include []string, object string) error {
	args := slices.Concat(include, []string{"-Iverilated", "-c", "glue.cpp", "-o", object})
	kept, take := b.headers(include)
	if kept == "" {
		return b.compilesIn(b.work, args...)
	}
	if err := b.compilesIn(b.work, append(take, args...)...); err == nil || b.Err() != nil {
		return err
	}
	if err := b.compilesIn(b.work, args...); err != nil {
		return err // the error belongs to the design
	}
	_ = os.Remove(kept) // the next build precompiles the headers again
	return nil
}
