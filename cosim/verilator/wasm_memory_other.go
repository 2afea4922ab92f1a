//go:build !unix

package verilator

func reserveMemory(size int) ([]byte, error) { return make([]byte, size), nil }
func useMemory([]byte) error                 { return nil }
func releaseMemory([]byte)                   {}
