package traces

import (
	"os/exec"
	"syscall"
)

// alone keeps the console's interrupts from a process; see converter_unix.go.
func alone(process *exec.Cmd) {
	process.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
