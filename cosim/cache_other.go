//go:build !unix

package cosim

import "io/fs"

// isOwn reports whether folder is a directory. Temporary directories belong to the user here.
func isOwn(folder fs.FileInfo) bool { return folder.IsDir() }
