//go:build !unix

package cosim

import "io/fs"

// isOwn reports whether a folder is one; temporary folders are the user's own.
func isOwn(folder fs.FileInfo) bool { return folder.IsDir() }
