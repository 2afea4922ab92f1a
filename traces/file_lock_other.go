//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package traces

import "os"

// lockTemporary does nothing on this system. Without locks, the owner of a temporary file is unknown, and stale
// temporary files remain.
func lockTemporary(*os.File) (lock *os.File, ok bool) { return nil, true }

func removeIfStale(string) {}
