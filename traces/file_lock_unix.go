//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package traces

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockTemporary marks an open temporary file as owned by a live process until the lock is closed or the process ends.
// ok is false if another process has locked the file to remove it as stale. On file systems without locks, lock is
// nil.
func lockTemporary(file *os.File) (lock *os.File, ok bool) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, false
	}
	if err != nil {
		return nil, true
	}
	// The lock belongs to the open file. It remains after the descriptor is closed before the rename.
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
		_ = os.Remove(path) // the creator of the file notices the removal
		for _, left := range leftovers(path) {
			_ = os.Remove(left) // usually missing
		}
	}
}
