//go:build !unix

package firmware

// reserve allocates size zero bytes; the operating system commits them lazily.
func reserve(size uint64) ([]byte, error) { return make([]byte, size), nil }

func release([]byte) {}
