package icarus

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"starloom/cosim"
)

// process is a running simulator. The process cannot outlive Starloom, for three reasons. The kernel kills the
// process when the thread that started it ends; that thread waits for the process; and the VPI module in the process
// checks its parent.
type process struct {
	memory *memory
	cmd    *exec.Cmd
	log    *sharedLog
	ended  atomic.Bool
	done   chan struct{} // closed after ended is set
	err    error         // result of Wait, valid after done

	slowest time.Duration // maximum processor time of a command after the first
}

// startProcess runs vvp in a folder on a compiled design with the VPI module NAME.vpi. When startProcess returns, the
// first command, number 1, is running. The process inherits the memory and, if it is not nil, the trace file.
func startProcess(vvp, folder, design, module string, memory *memory, trace *os.File,
	log *sharedLog) (*process, error) {
	p := &process{memory: memory, log: log, done: make(chan struct{})}
	dir, file := filepath.Split(module) // module is an absolute path, like design
	p.cmd = exec.Command(vvp, "-n", "-M", dir, "-m", strings.TrimSuffix(file, ".vpi"), design)
	p.cmd.Dir = folder
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.ExtraFiles = []*os.File{memory.file}
	if trace != nil {
		p.cmd.ExtraFiles = append(p.cmd.ExtraFiles, trace) // TRACE_FD
	}
	p.cmd.SysProcAttr = alone()
	p.cmd.WaitDelay = time.Second
	memory.command.Store(1)
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// run starts the process and waits for its end on the same thread, because the death signal belongs to the thread and
// Go may end threads.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	_ = p.memory.file.Close()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	if p.err == exec.ErrWaitDelay {
		p.killGroup()
	}
	p.ended.Store(true)
	p.memory.wake()
	close(p.done)
}

// alone returns attributes of a process that ignores the terminal's Ctrl-C and dies with Starloom.
func alone() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

type answer int

const (
	answerReplied answer = iota
	answerGone
	answerSilent // the reply did not come in time
	answerSpent  // processor time exhausted
)

// A patience limits the time without a finished clock cycle. wall is the limit of wall-clock time without waits for
// the machine, processor the limit of processor time. Neither time depends on the load of the machine.
type patience struct{ wall, processor time.Duration }

func (p *process) await(number uint32, patience patience) answer {
	if p.memory.spin(number) {
		return answerReplied
	}
	const look = 50 * time.Millisecond
	cycles, since, used := p.memory.cycles.Load(), time.Now(), p.used()
	for {
		gone := p.ended.Load() // ended is read first, because the process may reply and then end
		if p.memory.reply.Load() == number {
			if number > 1 {
				p.slowest = max(p.slowest, p.used()-used)
			}
			return answerReplied
		}
		if gone {
			return answerGone
		}
		if now := p.memory.cycles.Load(); now != cycles {
			cycles, since, used = now, time.Now(), p.used()
		}
		left := patience.wall - time.Since(since)
		if p.used()-used > patience.processor {
			return answerSpent
		}
		if left <= 0 {
			if !p.waits() {
				return answerSilent
			}
			left = look
		}
		p.memory.sleep(number, min(left, look))
	}
}

// waits reports whether the simulator is runnable but waits for a processor or a disk. These waits do not count.
func (p *process) waits() bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return false
	}
	_, state, found := bytes.Cut(text, []byte(") "))
	return found && (bytes.HasPrefix(state, []byte("R ")) || bytes.HasPrefix(state, []byte("D ")))
}

// used returns the simulator's processor time, 0 after its end.
func (p *process) used() time.Duration {
	const ofProcess = 2 // CPUCLOCK_SCHED of the kernel
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^p.cmd.Process.Pid)<<3|ofProcess, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}

func (p *process) interrupt() { _ = p.cmd.Process.Signal(unix.SIGUSR1) }

func (p *process) end(patience time.Duration) {
	timer := time.AfterFunc(patience, p.killGroup)
	<-p.done
	timer.Stop()
}

func (p *process) killGroup() {
	if !p.ended.Load() {
		_ = unix.Kill(-p.cmd.Process.Pid, unix.SIGKILL)
	}
}

type sharedLog struct {
	mutex sync.Mutex
	text  cosim.KeptLog
}

func (l *sharedLog) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

func (l *sharedLog) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return string(l.text)
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return cosim.OneLine([]byte(strings.Join(lines[max(0, len(lines)-n):], "\n")))
}
