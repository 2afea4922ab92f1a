//go:build unix

package cosim

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a directory belongs to the current user and is not writable by other users.
func isOwn(folder fs.FileInfo) bool {
	system, ok := folder.Sys().(*syscall.Stat_t)
	return ok && folder.IsDir() && int(system.Uid) == os.Getuid() && folder.Mode().Perm()&0o022 == 0
}
