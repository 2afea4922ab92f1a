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

// process is a simulator in a process of its own. It cannot outlive
// Starloom: the kernel kills it with the thread that started it, which waits for
// it, and the module inside it checks its parent.
type process struct {
	memory *memory
	cmd    *exec.Cmd
	log    *sharedLog
	ended  atomic.Bool   // the process is gone
	done   chan struct{} // closed after that
	err    error         // how it ended; read after done

	slowest time.Duration // most processor time of a command, but the first
}

// startProcess runs vvp in a folder on a compiled design with a VPI module, NAME.vpi. The first
// command, number 1, is under way when it returns.
//
// It has the memory and, unless that is nil, a file for what is traced.
func startProcess(vvp, folder, design, module string, memory *memory, trace *os.File, log *sharedLog) (*process, error) {
	p := &process{memory: memory, log: log, done: make(chan struct{})}
	dir, file := filepath.Split(module) // an absolute path, as design is
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

// run stays on the thread that starts the process until the process has ended: a
// death signal is bound to the thread, and Go ends threads.
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
	if p.err == exec.ErrWaitDelay { // a child of the simulator still has its output
		p.killGroup()
	}
	p.ended.Store(true)
	p.memory.wake()
	close(p.done)
}

// alone is for processes without the terminal's Ctrl-C that die with Starloom.
func alone() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

type answer int

const (
	answerReplied answer = iota
	answerGone
	answerSilent // not in time
	answerSpent  // not with the processor time that it may take
)

// A patience is how long the simulator may go without finishing a clock cycle: wall-clock time, while it does not
// wait for the machine, and processor time, neither of which depends on load.
type patience struct{ wall, processor time.Duration }

func (p *process) await(number uint32, patience patience) answer {
	if p.memory.spin(number) {
		return answerReplied
	}
	const look = 50 * time.Millisecond
	cycles, since, used := p.memory.cycles.Load(), time.Now(), p.used()
	for {
		gone := p.ended.Load() // first, since a process may reply and go
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

// waits reports whether the simulator would go on if the machine had a processor, or a disk, for it: of that time no limit counts.
func (p *process) waits() bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return false
	}
	_, state, found := bytes.Cut(text, []byte(") ")) // after the name of the program
	return found && (bytes.HasPrefix(state, []byte("R ")) || bytes.HasPrefix(state, []byte("D ")))
}

// used is the processor time that the simulator has taken; 0 for one that is gone.
func (p *process) used() time.Duration {
	const ofProcess = 2 // CPUCLOCK_SCHED of the kernel
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^p.cmd.Process.Pid)<<3|ofProcess, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}

func (p *process) interrupt() { _ = p.cmd.Process.Signal(unix.SIGUSR1) }

// end waits until the process is gone, and kills it if that takes too long.
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

// sharedLog is what a process prints while others read it.
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

// lastLines returns up to n lines from the end of a text, as one line.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return cosim.OneLine([]byte(strings.Join(lines[max(0, len(lines)-n):], "\n")))
}
