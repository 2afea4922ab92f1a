//go:build !unix

package cosim

import "io/fs"

// isOwn reports whether folder is a directory. On this system, temporary directories belong to the user.
func isOwn(folder fs.FileInfo) bool { return folder.IsDir() }
