package firmware

import (
	"encoding/binary"
	"iter"
	"os"
	"sync"
	"unsafe"

	"github.com/tetratelabs/wazero/experimental"

	"starloom/hw"
)

// slab allocates linear memories at fixed addresses, so that the host's views of a bank stay valid. It reserves
// address space in large pieces, because one mapping per instance would exceed the kernel's limit of 65,536 mappings.
// Untouched pages take no memory.
type slab struct {
	lock   sync.Mutex
	pieces [][]byte
	free   []byte
}

const (
	slabPieceBytes = 1 << 30
	// a memory of at least this size belongs to a bank of many thousands of processors, which touch most of the
	// memory
	slabHugeBytes = 64 << 20
	wasmPageBytes = 64 << 10
)

// take reserves size zero bytes, rounded up to wasm pages. Usually fewer than usual bytes are touched.
func (s *slab) take(size, usual uint64) ([]byte, error) {
	unit := uint64(wasmPageBytes)
	if usual >= slabHugeBytes {
		unit = 2 << 20 // large banks are aligned to huge pages
	}
	size = (size + unit - 1) / unit * unit
	s.lock.Lock()
	defer s.lock.Unlock()
	if uint64(len(s.free)) < size {
		piece, err := reserve(max(size, slabPieceBytes))
		if err != nil {
			return nil, err
		}
		s.pieces, s.free = append(s.pieces, piece), piece
		if usual >= slabHugeBytes {
			hw.AdviseHuge(piece)
		}
	}
	part := s.free[:size:size]
	s.free = s.free[size:]
	return part, nil
}

func (s *slab) close() {
	for _, piece := range s.pieces {
		release(piece)
	}
	s.pieces, s.free = nil, nil
}

type linearMemory []byte

func (m linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m)) {
		return nil
	}
	return m[:size]
}

// Free implements experimental.LinearMemory. It does nothing, because the slab is released as a whole.
func (linearMemory) Free() {}

// allocator returns m for the next instance, independently of the module's declared
// maximum.
func allocator(m linearMemory) experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return m })
}

var zeros [4096]byte // one page

// pageTable has an 8-byte entry for each page of this process, with its presence in memory or swap. It is nil on
// other systems.
var pageTable = sync.OnceValue(func() *os.File {
	table, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	// verify the table, because a user-mode emulator may expose the table of its own process
	page := make([]byte, 2*len(zeros))
	page[len(zeros)] = 1
	var entry [8]byte
	at := int64(uintptr(unsafe.Pointer(&page[len(zeros)]))) / int64(len(zeros)) * 8
	if _, err := table.ReadAt(entry[:], at); err != nil || binary.NativeEndian.Uint64(entry[:])>>62 == 0 {
		table.Close()
		return nil
	}
	return table
})

// touched yields the touched pages of a memory with their offsets. Other pages are zero, and reading them would cause
// page faults.
func touched(memory []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		var table [4096]byte
		first, size := uintptr(unsafe.Pointer(unsafe.SliceData(memory))), len(zeros)
		for at := 0; at < len(memory); {
			entries := table[:min(len(table), (len(memory)-at+size-1)/size*8)]
			known := os.Getpagesize() == size && first%uintptr(size) == 0
			if known {
				_, err := pageTable().ReadAt(entries, int64(first+uintptr(at))/int64(size)*8)
				known = err == nil
			}
			for ; len(entries) > 0; entries, at = entries[8:], at+size {
				page := memory[at:min(at+size, len(memory))]
				if (!known || binary.NativeEndian.Uint64(entries)>>62 != 0) && !yield(at, page) {
					return
				}
			}
		}
	}
}
