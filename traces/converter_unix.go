//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package traces

import (
	"os/exec"
	"syscall"
)

// alone shields a process from terminal interrupts: after an interrupt the run still writes its data, and the
// converter ends with its input.
func alone(process *exec.Cmd) { process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
