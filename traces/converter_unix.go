//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package traces

import (
	"os/exec"
	"syscall"
)

// alone shields a process from terminal interrupts, because an interrupted run still writes its data.
func alone(process *exec.Cmd) { process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
