package hw

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePageBytes is the size of a huge page on amd64 and arm64.
const hugePageBytes = 2 << 20

// AdviseHuge requests huge pages for a large, randomly accessed column. Without huge pages, a machine of 16 million
// processors spends most of its time in address translation. AdviseHuge affects only speed and never fails.
func AdviseHuge[T Fixed](column []T) {
	if len(column) == 0 {
		return
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(column)))
	size := uintptr(len(column)) * unsafe.Sizeof(column[0])
	skip := (hugePageBytes - first%hugePageBytes) % hugePageBytes
	if size < skip+hugePageBytes {
		return
	}
	size = (size - skip) / hugePageBytes * hugePageBytes
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), skip+size)
	// Kernels without huge pages reject the advice, which is harmless.
	_ = unix.Madvise(bytes[skip:], unix.MADV_HUGEPAGE)
}
