package hw

import "golang.org/x/sys/unix"

// MemoryBytes returns the size of this machine's main memory, 0 if it is unknown.
func MemoryBytes() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
