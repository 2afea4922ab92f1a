//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package traces

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockTemporary marks an open temporary file as one of a live process, until the
// result is closed or the process ends, however it ends. false: another process holds
// it, which takes it for a stale one. Where a file system has no locks there are none.
func lockTemporary(file *os.File) (lock *os.File, ok bool) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, false
	}
	if err != nil {
		return nil, true
	}
	// The lock is that of the open file: it outlives the descriptor that is closed
	// before the file is renamed.
	copied, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, true
	}
	return os.NewFile(uintptr(copied), file.Name()), true
}

func removeIfStale(path string) {
	file, err := os.Open(path)
	if err != nil {
		return
	}
	defer file.Close()
	if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		_ = os.Remove(path) // whoever makes it at this moment sees that it is gone
		for _, left := range leftovers(path) {
			_ = os.Remove(left) // most have none
		}
	}
}
