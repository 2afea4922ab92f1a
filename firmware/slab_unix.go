//go:build unix

package firmware

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// the mapping takes no memory until it is touched
func reserve(size uint64) ([]byte, error) {
	piece, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserving %d MiB of address space for firmware: %w; use fewer processors or raise the "+
			"address-space limit (ulimit -v)", size>>20, err)
	}
	return piece, nil
}

func release(piece []byte) { _ = unix.Munmap(piece) }
