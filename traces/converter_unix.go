//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package traces

import (
	"os/exec"
	"syscall"
)

// alone keeps the terminal's interrupts from a process: it ends with its input, when the run that is
// interrupted has written what it has.
func alone(process *exec.Cmd) { process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
