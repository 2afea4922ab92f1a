package traces

import (
	"os/exec"
	"syscall"
)

// alone shields a process from console interrupts; see converter_unix.go.
func alone(process *exec.Cmd) {
	process.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
