//go:build !linux

package hw

// MemoryBytes returns the size of this machine's main memory, 0 if it is unknown.
func MemoryBytes() uint64 { return 0 }
