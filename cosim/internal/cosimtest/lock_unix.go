//go:build unix

package cosimtest

import (
	"os"
	"path/filepath"
	"syscall"
)

func lock(cache string) (unlock func()) {
	_ = os.MkdirAll(cache, 0o755)
	file, err := os.OpenFile(filepath.Join(cache, ".test-lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return func() {} // every package compiles the library for itself
	}
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
	return func() { _ = file.Close() }
}
