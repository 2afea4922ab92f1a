package firmware

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"

	"starloom/hw"
)

// slab hands out linear memories whose address never changes, so that the
// host's views of a bank stay valid. It reserves address space in large pieces:
// one mapping per instance would exhaust the kernel's map count at 65,536
// isolated processors. Pages that are not touched cost nothing.
type slab struct {
	lock   sync.Mutex
	pieces [][]byte
	free   []byte
}

const (
	slabPieceBytes = 1 << 30
	// From this size on a memory is a bank of many thousands of processors, which
	// will touch most of what it takes.
	slabHugeBytes = 64 << 20
	wasmPageBytes = 64 << 10
)

// take reserves size bytes, rounded up to wasm pages, all zero, of which mostly less than
// usual will be touched.
func (s *slab) take(size, usual uint64) ([]byte, error) {
	unit := uint64(wasmPageBytes)
	if usual >= slabHugeBytes {
		unit = 2 << 20 // a large bank starts and ends on huge pages
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

// close gives all memory back; no view may be used any more.
func (s *slab) close() {
	for _, piece := range s.pieces {
		release(piece)
	}
	s.pieces, s.free = nil, nil
}

// linearMemory is one instance's memory inside the slab. Growth beyond the
// reserved range is refused: memory.grow returns -1 to the firmware.
type linearMemory []byte

func (m linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m)) {
		return nil
	}
	return m[:size]
}

// Free implements experimental.LinearMemory; the slab is released as a whole.
func (linearMemory) Free() {}

// allocator gives the next instance the memory m, whatever maximum the module
// declares.
func allocator(m linearMemory) experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return m })
}
