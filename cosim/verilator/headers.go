package verilator

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// commonHeaders are the includes of every design: two thirds of the reading time of a small one.
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

// headers returns the options with which the compiler takes the common headers in its own
// form, and the path of that file, made once for all designs; "" if there is none, and a
// build does without.
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

// headersDir is a directory in the cache with Starloom's own headers: clang takes the
// headers that it has kept only if these files are unchanged.
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
		if _, made := os.Stat(dir); made != nil { // not by another process
			return "", err
		}
	}
	return dir, nil
}

// compilesDesign compiles glue.cpp with the design in it. Headers that the compiler does
// not take, because a file of theirs has changed, are removed.
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
		return err // the design's, in its own words
	}
	_ = os.Remove(kept) // else the next build fails to take them, too
	return nil
}
