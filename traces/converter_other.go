//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package traces

import "os/exec"

// alone does nothing where processes have no groups; see converter_unix.go.
func alone(*exec.Cmd) {}
