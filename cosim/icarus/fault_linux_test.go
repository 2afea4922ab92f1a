package icarus

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"starloom/cosim"
)

// misbehaving opens the faulty module and runs two good cycles. The time limit applies from then on; 0 is the
// default.
func misbehaving(t *testing.T, mode uint64, limit time.Duration) *device {
	d := openDevice(t, testSource("misbehave", "clk_i"), cosim.Options{})
	require.NoError(t, d.Step(1, 2))
	setPort(t, d, "mode_i", mode)
	if limit > 0 {
		d.limit = limit
	}
	return d
}

func requireFault(t *testing.T, err error, kind cosim.FaultKind, cycle uint64) *cosim.Fault {
	t.Helper()
	var fault *cosim.Fault
	require.ErrorAs(t, err, &fault)
	require.Equal(t, kind, fault.Kind, "%v", err)
	require.Equal(t, cycle, fault.Cycle, "%v", err)
	require.Equal(t, "misbehave.v: misbehave", fault.Device)
	return fault
}

// slack is the time that a busy machine may add to a time limit.
const slack = 3 * time.Second

// requireGone waits until a process has ended. It may remain a zombie of the process that inherited it.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, 5*time.Second, time.Millisecond, "process %d is still there", pid)
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		mode uint64
		kind cosim.FaultKind
		text string
	}{
		{"finish", 1, cosim.FaultFinish, "enough"},
		{"fatal", 2, cosim.FaultFatal, "misbehave.v:30: count is 2"},
		{"stop", 3, cosim.FaultFinish, ""},
		{"fatal in the user's words only", 8, cosim.FaultFinish, "FATAL: so the user says"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := misbehaving(t, c.mode, 0)
			pid := d.process.cmd.Process.Pid
			err := d.Edge(1)
			require.Contains(t, requireFault(t, err, c.kind, 3).Text, c.text)
			requireGone(t, pid)
			require.Equal(t, err, d.Edge(1))
			require.Equal(t, err, d.Settle())
			require.Equal(t, err, d.Step(1, 5))
		})
	}
}

func TestFaultInTheMiddleOfASteps(t *testing.T) {
	d := misbehaving(t, 7, 0)
	require.NoError(t, d.Step(1, 10))
	setPort(t, d, "mode_i", 1)
	requireFault(t, d.Step(1, 1000), cosim.FaultFinish, 13)
}

func TestFinishAtOnce(t *testing.T) {
	source := testSource("misbehave", "clk_i")
	source.Params = map[string]string{"AT_ONCE": "1"}
	_, err := Open(source, cosim.Options{})
	requireFault(t, err, cosim.FaultFinish, 0)
}

func TestEndless(t *testing.T) {
	for _, c := range []struct {
		name  string
		mode  uint64
		cycle uint64
		kind  cosim.FaultKind
	}{
		{"gates", 4, 2, cosim.FaultOscillation},
		{"registers", 6, 2, cosim.FaultOscillation},
		{"a process", 5, 3, cosim.FaultHang},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const limit = 2 * time.Second
			d := misbehaving(t, c.mode, limit)
			requireFault(t, d.Edge(1), c.kind, c.cycle)
			requireGone(t, d.process.cmd.Process.Pid)
			<-d.process.done
			used := d.process.cmd.ProcessState // the simulator never sleeps, but may wait for a processor
			require.Less(t, used.UserTime()+used.SystemTime(), limit+slack)
		})
	}
}

// TestLongEndlessByProcessorTime checks that a busy simulator is stopped after three seconds of processor time, even
// with a longer limit, and that one that has always been slow gets more.
func TestLongEndlessByProcessorTime(t *testing.T) {
	t.Parallel()
	const limit = time.Hour
	d := misbehaving(t, 5, limit)
	err := d.Edge(1)
	requireFault(t, err, cosim.FaultHang, 3)
	require.ErrorContains(t, err, "a process loops without delay; stopped after at least 3s of processor time")

	d = misbehaving(t, 1, limit)
	d.process.slowest = time.Second
	require.Equal(t, 1000*time.Second, d.patience(2, 0).processor)
	require.Equal(t, limit, d.patience(1, 0).processor, "initial blocks may fill memories")
	d.process.slowest = 0
	require.Equal(t, 3*time.Second, d.patience(2, 0).processor)
}

// TestTimeLimitIsForACycle checks that a long Step may take longer than the limit.
func TestTimeLimitIsForACycle(t *testing.T) {
	t.Parallel()
	const limit = time.Second
	d := openDevice(t, testSource("counter", "clk_i"), cosim.Options{})
	d.limit = limit
	setPort(t, d, "rst_i", 1)
	require.NoError(t, d.Edge(1))
	setPort(t, d, "rst_i", 0)
	setPort(t, d, "enable_i", 1)
	var cycles uint64
	for start := time.Now(); time.Since(start) < limit+limit/5; {
		require.NoError(t, d.Step(1, 10_000))
		cycles += 10_000
	}
	require.NoError(t, d.Step(1, int(cycles)))
	requirePort(t, d, "count_o", 2*cycles%256)
}

func TestKilled(t *testing.T) {
	d := misbehaving(t, 0, 0)
	require.NoError(t, unix.Kill(d.process.cmd.Process.Pid, unix.SIGKILL))
	start := time.Now()
	fault := requireFault(t, d.Edge(1), cosim.FaultDied, 2)
	require.Contains(t, fault.Text, "killed")
	require.Less(t, time.Since(start), slack)
}

func TestKilledInTheMiddleOfAStep(t *testing.T) {
	d := misbehaving(t, 0, 0)
	pid := d.process.cmd.Process.Pid
	go func() {
		time.Sleep(50 * time.Millisecond)
		_ = unix.Kill(pid, unix.SIGKILL)
	}()
	var fault *cosim.Fault
	require.ErrorAs(t, d.Step(1, 1<<40), &fault)
	require.Equal(t, cosim.FaultDied, fault.Kind)
	require.Greater(t, fault.Cycle, uint64(2))
}

func TestStopped(t *testing.T) {
	const limit = 300 * time.Millisecond
	d := misbehaving(t, 0, limit)
	pid := d.process.cmd.Process.Pid
	require.NoError(t, unix.Kill(pid, unix.SIGSTOP))
	start := time.Now()
	requireFault(t, d.Edge(1), cosim.FaultHang, 2)
	require.Less(t, time.Since(start), limit+slack)
	requireGone(t, pid)
}

// TestCloseOfASilentSimulator checks that Close does not wait for a hanging simulator.
func TestCloseOfASilentSimulator(t *testing.T) {
	d := misbehaving(t, 0, 200*time.Millisecond)
	pid := d.process.cmd.Process.Pid
	require.NoError(t, unix.Kill(pid, unix.SIGSTOP))
	require.NoError(t, d.Close())
	requireGone(t, pid)
}

// TestOutlivesThreads checks that the goroutine that opens a device may end together with its thread.
func TestOutlivesThreads(t *testing.T) {
	opened := make(chan cosim.Device)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends
		d, err := Open(testSource("misbehave", "clk_i"), cosim.Options{})
		if err != nil {
			t.Error(err)
		}
		opened <- d
	}()
	d := <-opened
	time.Sleep(50 * time.Millisecond)
	require.NoError(t, d.Step(1, 5))
	requirePort(t, d, "count_o", 5)
	require.NoError(t, d.Close())
}

// TestDiesWithStarloom kills a process with an idle and a busy simulator and requires that both end.
func TestDiesWithStarloom(t *testing.T) {
	if os.Getenv("STARLOOM_TEST_VICTIM") != "" {
		idle, busy := misbehaving(t, 0, 0), misbehaving(t, 5, time.Hour)
		fmt.Println("victim", idle.process.cmd.Process.Pid, busy.process.cmd.Process.Pid)
		_ = busy.Edge(1)
		return
	}
	victim := exec.Command(os.Args[0], "-test.run=^TestDiesWithStarloom$")
	victim.Env = append(os.Environ(), "STARLOOM_TEST_VICTIM=1")
	victim.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said, err := victim.StdoutPipe()
	require.NoError(t, err)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	require.NoError(t, victim.Start())
	var idle, busy int
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if n, _ := fmt.Sscanf(lines.Text(), "victim %d %d", &idle, &busy); n == 2 {
			break
		}
	}
	require.NotZero(t, busy)
	require.NoError(t, unix.Kill(idle, 0))
	require.NoError(t, unix.Kill(busy, 0))
	require.NoError(t, victim.Process.Kill())
	require.Error(t, victim.Wait())
	requireGone(t, idle)
	requireGone(t, busy)
}

// TestWaitsForTheMachine checks that a computing simulator may only wait for a processor, and that a stopped one does
// not count as waiting.
func TestWaitsForTheMachine(t *testing.T) {
	d := misbehaving(t, 0, 200*time.Millisecond)
	idle := func() bool { return !d.process.waits() }
	require.Eventually(t, idle, time.Second, time.Millisecond, "it waits for a command")
	require.NoError(t, unix.Kill(d.process.cmd.Process.Pid, unix.SIGSTOP))
	require.Eventually(t, idle, time.Second, time.Millisecond)
	require.NoError(t, d.Close())

	busy := &process{cmd: exec.Command("sh", "-c", "while :; do :; done")}
	require.NoError(t, busy.cmd.Start())
	require.Eventually(t, busy.waits, time.Second, time.Millisecond)
	require.NoError(t, busy.cmd.Process.Kill())
	require.Error(t, busy.cmd.Wait())
	require.False(t, busy.waits(), "it is gone")
}
