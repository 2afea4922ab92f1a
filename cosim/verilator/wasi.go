package verilator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"starloom/cosim"
)

type libraries struct {
	before, after []string
	hash          string
}

const (
	sysroot    = "--sysroot=/usr" // Debian's wasi-libc and libc++
	remedyWasi = "install the Debian packages wasi-libc, libc++-dev-wasm32 and libclang-rt-dev-wasm32"
)

var foundLibraries sync.Map

func wasiLibraries(ctx context.Context) (l libraries, err error) {
	compiler, err := exec.LookPath(clangTool.Command)
	if err != nil {
		return l, err
	}
	if known, ok := foundLibraries.Load(compiler); ok {
		return known.(libraries), nil
	}
	ask := func(option string) string {
		out, failed := cosim.Command(ctx, "", compiler, "--target=wasm32-wasi", sysroot, option).Output()
		if failed != nil && err == nil {
			err = fmt.Errorf("%s %s: %w", clangTool.Command, option, failed)
		}
		return cosim.FirstLine(out)
	}
	start, builtins := ask("-print-file-name=crt1-reactor.o"), ask("-print-libgcc-file-name")
	if err != nil {
		return l, err
	}
	l.before = []string{start}
	for _, name := range []string{"libc++.a", "libc++abi.a", "libc.a"} {
		l.after = append(l.after, filepath.Join(filepath.Dir(start), name))
	}
	l.after = append(l.after, builtins)
	sum := sha256.New()
	for _, path := range append(l.before, l.after...) {
		if err := copyInto(sum, path); err != nil {
			return l, &cosim.InputError{
				Place:  path,
				Reason: fmt.Sprintf("is needed to link C++ for WebAssembly: %v", cosim.Reason(err)),
				Remedy: remedyWasi,
			}
		}
	}
	l.hash = hex.EncodeToString(sum.Sum(nil))
	foundLibraries.Store(compiler, l)
	return l, nil
}

func copyInto(to io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(to, file)
	return err
}
