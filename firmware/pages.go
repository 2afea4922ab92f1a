package firmware

import (
	"encoding/binary"
	"iter"
	"os"
	"sync"
	"unsafe"
)

var zeros [4096]byte // one page

// pageTable says of each page of this process, in eight bytes, whether it is in memory or in the swap space; nil where there is no such table.
var pageTable = sync.OnceValue(func() *os.File {
	table, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	page := make([]byte, 2*len(zeros)) // is the table this process's? An emulator of processors may show its own
	page[len(zeros)] = 1
	var entry [8]byte
	at := int64(uintptr(unsafe.Pointer(&page[len(zeros)]))) / int64(len(zeros)) * 8
	if _, err := table.ReadAt(entry[:], at); err != nil || binary.NativeEndian.Uint64(entry[:])>>62 == 0 {
		table.Close()
		return nil
	}
	return table
})

// touched yields the touched pages of a slab's memory with their offsets. An untouched page is zero; a read of it costs a page fault and
// perhaps memory.
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
