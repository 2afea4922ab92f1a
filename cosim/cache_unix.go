//go:build unix

package cosim

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a folder belongs to the user who runs this, and no one else may write into it.
func isOwn(folder fs.FileInfo) bool {
	system, ok := folder.Sys().(*syscall.Stat_t)
	return ok && folder.IsDir() && int(system.Uid) == os.Getuid() && folder.Mode().Perm()&0o022 == 0
}
