//go:build !unix

package firmware

// The operating system commits the memory lazily.
func reserve(size uint64) ([]byte, error) { return make([]byte, size), nil }

func release([]byte) {}
