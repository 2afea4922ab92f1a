//go:build unix

package systemtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Process is the cost of a program run: wall time, processor time and peak memory.
type Process struct{ Seconds, CpuSeconds, Megabytes float64 }

// TimeProcess runs a program, whose output must contain says.
func TimeProcess(b *testing.B, says, path string, args ...string) Process {
	command := exec.Command(path, args...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	start := time.Now()
	require.NoError(b, command.Start())
	ended, peak := make(chan struct{}), make(chan float64)
	go func() { peak <- PeakOf(command.Process.Pid, ended) }()
	err := command.Wait()
	seconds := time.Since(start).Seconds()
	close(ended)
	require.NoError(b, err, strings.TrimSpace(out.String()))
	require.Contains(b, out.String(), says)
	usage := command.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	return Process{seconds, cpu.Seconds(), <-peak}
}

// PeakOf polls the peak memory of a process in MB until the process has ended. Rusage is not used, because it would
// include the peak of this process.
func PeakOf(pid int, ended chan struct{}) (megabytes float64) {
	for {
		select {
		case <-ended:
			return megabytes
		case <-time.After(20 * time.Millisecond):
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
			kilobytes := 0.0
			_, _ = fmt.Sscan(after, &kilobytes)
			megabytes = max(megabytes, kilobytes/1024)
		}
	}
}
