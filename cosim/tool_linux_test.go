package cosim

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestToolsDieWithStarloom kills a process that runs a tool, in each possible way, and requires that the tool ends.
func TestToolsDieWithStarloom(t *testing.T) {
	if os.Getenv("STARLOOM_TEST_VICTIM") != "" {
		c := Command(context.Background(), "", "sleep", "1000")
		require.NoError(t, c.Start())
		fmt.Println("tool", c.Process.Pid)
		_ = c.Wait()
		return
	}
	for _, end := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(end.String(), func(t *testing.T) {
			if signal.Ignored(end) {
				t.Skip("it is ignored here, as under nohup")
			}
			victim := exec.Command(os.Args[0], "-test.run=^TestToolsDieWithStarloom$")
			victim.Env = append(os.Environ(), "STARLOOM_TEST_VICTIM=1")
			said, err := victim.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, victim.Start())
			tool := 0
			for lines := bufio.NewScanner(said); tool == 0 && lines.Scan(); {
				_, _ = fmt.Sscanf(lines.Text(), "tool %d", &tool)
			}
			require.NotZero(t, tool)
			require.NoError(t, syscall.Kill(tool, 0))
			require.NoError(t, victim.Process.Signal(end))
			require.Error(t, victim.Wait())
			require.Eventually(t, func() bool { return errors.Is(syscall.Kill(tool, 0), syscall.ESRCH) || zombie(tool) },
				5*time.Second, 10*time.Millisecond)
		})
	}
}

// zombie reports whether a process has ended but has not been waited for. Its new parent may never do so.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	state := ""
	_, _ = fmt.Sscanf(string(text), "%d %s %s", new(int), new(string), &state)
	return state == "Z"
}
