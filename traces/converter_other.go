//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package traces

import "os/exec"

// alone does nothing on systems without process groups; see converter_unix.go.
func alone(*exec.Cmd) {}
