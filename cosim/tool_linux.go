package cosim

import (
	"os/exec"
	"syscall"
)

func bind(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
