//go:build !unix

package firmware

// reserve allocates size bytes of zeros; the operating system commits them lazily.
func reserve(size uint64) ([]byte, error) { return make([]byte, size), nil }

func release([]byte) {}
