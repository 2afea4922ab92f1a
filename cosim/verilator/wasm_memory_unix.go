//go:build unix

package verilator

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func reserveMemory(size int) ([]byte, error) {
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("reserving %d MiB of address space for RTL: %w; open fewer devices or raise the limit "+
			"(ulimit -v)", size>>20, err)
	}
	return memory, nil
}

func useMemory(memory []byte) error { return unix.Mprotect(memory, unix.PROT_READ|unix.PROT_WRITE) }
func releaseMemory(memory []byte)   { _ = unix.Munmap(memory) }
