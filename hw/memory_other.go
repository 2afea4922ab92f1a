//go:build !linux

package hw

// MemoryAvailable returns how many bytes a process may still take, and the sentence that says so, "" if it is unknown.
func MemoryAvailable() (bytes uint64, limit string) { return 0, "" }
