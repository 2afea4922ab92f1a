package cosim

import (
	"os/exec"
	"syscall"
)

// bind has a process end when Starloom ends, however that is.
func bind(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
