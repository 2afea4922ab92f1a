//go:build !linux

package hw

// AdviseHuge does nothing on this operating system.
func AdviseHuge[T Fixed](column []T) {}
