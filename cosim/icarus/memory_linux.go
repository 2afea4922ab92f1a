package icarus

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Layout of the memory shared with the simulator. vpi/cosim.c describes the same layout; a test compares the two.
const (
	requestAt   = 4096
	reportAt    = 1 << 16
	valuesAt    = 1 << 20
	memoryBytes = 1 << 24
)

type op uint32

const (
	opSettle op = 1
	opEdge   op = 2
	opClose  op = 3

	opTrace    op = 4
	opDump     op = 5
	opEndTrace op = 6
)

type status uint32

const (
	statusOK         status = 0
	statusRefused    status = 1 // the module cannot be driven; the report contains the reason
	statusFinished   status = 2 // $finish, $stop, $fatal
	statusEndless    status = 3 // a process looped in zero time until it was interrupted
	statusOscillates status = 4 // events repeated in zero time until they were interrupted
)

type header struct {
	command         atomic.Uint32
	simulatorSleeps atomic.Uint32
	op              op
	parent          uint32
	clocks          uint64
	count           uint64
	_               [4]uint64
	reply           atomic.Uint32
	weSleep         atomic.Uint32
	status          status
	_               uint32
	cycles          atomic.Uint64
}

// memory is the shared memory. Untouched pages use no space.
type memory struct {
	file  *os.File
	bytes []byte
	spins int // polls for a reply before sleeping
	*header
}

func newMemory(top string, clocks []string) (*memory, error) {
	request := strings.Join(append([]string{top}, clocks...), "\x00") + "\x00\x00"
	if len(request) > reportAt-requestAt {
		return nil, fmt.Errorf("%s: the names of the clocks take %d bytes; use fewer clocks", top, len(request))
	}
	fd, err := unix.MemfdCreate("starloom-cosim", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memory to share with the simulator: %w", err)
	}
	m := &memory{spins: spinsMax, file: os.NewFile(uintptr(fd), "starloom-cosim")}
	if err = m.file.Truncate(memoryBytes); err == nil {
		m.bytes, err = unix.Mmap(fd, 0, memoryBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		_ = m.file.Close()
		return nil, fmt.Errorf("memory to share with the simulator: %w", err)
	}
	m.header = (*header)(unsafe.Pointer(&m.bytes[0]))
	m.parent = uint32(os.Getpid())
	copy(m.bytes[requestAt:], request)
	return m, nil
}

func (m *memory) close() {
	_ = unix.Munmap(m.bytes)
	m.bytes, m.header = nil, nil
}

func (m *memory) report() string {
	text, _, _ := strings.Cut(string(m.bytes[reportAt:valuesAt]), "\x00")
	return text
}

func (m *memory) words(first, count int) []uint64 {
	if count == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&m.bytes[valuesAt+8*first])), count)
}

func (m *memory) post(op op, clocks, count uint64) uint32 {
	m.op, m.clocks, m.count = op, clocks, count
	number := m.command.Add(1)
	if m.simulatorSleeps.Load() != 0 {
		futexWake(&m.header.command)
	}
	return number
}

// Limits of polling before sleep. Small circuits reply faster than a sleeping process wakes up. For large circuits
// polling wastes time, so spin becomes shorter after each failed poll.
const (
	spinsMin = 2_000
	spinsMax = 10_000
)

func (m *memory) spin(number uint32) bool {
	for range m.spins {
		if m.reply.Load() == number {
			m.spins = min(2*m.spins, spinsMax)
			return true
		}
	}
	m.spins = max(m.spins/2, spinsMin)
	return false
}

// sleep waits in the kernel for the reply, a call of wake or the timeout. It may return early.
func (m *memory) sleep(number uint32, d time.Duration) {
	m.weSleep.Store(1)
	if seen := m.reply.Load(); seen != number {
		futexWait(&m.reply, seen, d)
	}
	m.weSleep.Store(0)
}

func (m *memory) wake() { futexWake(&m.reply) }

// Futexes in memory shared between processes cannot use the private variants.
const (
	futexOpWait = 0
	futexOpWake = 1
)

func futexWait(word *atomic.Uint32, seen uint32, d time.Duration) {
	limit := unix.NsecToTimespec(int64(d))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexOpWait, uintptr(seen),
		uintptr(unsafe.Pointer(&limit)), 0, 0)
}

func futexWake(word *atomic.Uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexOpWake, 1, 0, 0, 0)
}
