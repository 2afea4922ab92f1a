//go:build !linux

package hw

// MemoryAvailable reports that the available memory is unknown on this operating system.
func MemoryAvailable() (bytes uint64, limit string) { return 0, "" }
