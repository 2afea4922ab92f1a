package vcd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"starloom/traces"
)

// IsFST reports whether a waveform with this path is to be in FST.
func IsFST(path string) bool { return strings.EqualFold(filepath.Ext(path), ".fst") }

// FST is GTKWave's vcd2fst, which turns what a Writer writes into FST: a form of VCD that GTKWave and Surfer
// open as well, in about an eighth of the bytes. The date in it is fixed, so that a run gives the same bytes
// every time; comments are not kept. vcd2fst does not see that a disk is full.
func FST() *traces.Converter {
	return &traces.Converter{
		Command: "vcd2fst", Package: "gtkwave", Arguments: []string{"-"},
		Head:    "$date Thu Jan  1 00:00:00 1970 $end\n",
		Instead: "give a path that ends in .vcd",
		Check:   checkFST,
	}
}

// Blocks of an FST file, and its header, which is the first of them and in big-endian.
//
//	byte  0      1        9       17     25       33       41       49      57          65         73
//	     +------+--------+-------+------+--------+--------+--------+-------+-----------+----------+-----
//	     | type | length | first | last | endian | memory | scopes | names | variables | sections | ...
//	     +------+--------+-------+------+--------+--------+--------+-------+-----------+----------+-----
//
// A length counts itself and what follows it.
const (
	fstHeader         = 0
	fstPacked         = 254 // all of the file
	fstHeaderLength   = 329
	fstOffsetSections = 65
	fstGeometry       = 3
	fstBlockBytesMin  = 8
)

// fstBlocks says which types of blocks hold values (sections), and which names.
var fstBlocks = map[byte]string{1: "values", 5: "values", 8: "values", 4: "names", 6: "names", 7: "names"}

// checkFST refuses a file that is not whole.
func checkFST(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	count := map[string]uint64{}
	var header [fstOffsetSections + 8]byte
	size, at := uint64(info.Size()), uint64(0)
	var first [1]byte
	if _, err := file.ReadAt(first[:], 0); err == nil && first[0] == fstPacked {
		return nil // gzip has a checksum of its own
	}
	for at < size {
		var b [1 + fstBlockBytesMin]byte
		if _, err := file.ReadAt(b[:], int64(at)); err != nil {
			return cutShort(err)
		}
		length := binary.BigEndian.Uint64(b[1:])
		if length < fstBlockBytesMin || length > size-at-1 {
			return fmt.Errorf("its block at byte %d is not whole", at)
		}
		kind := fstBlocks[b[0]]
		switch b[0] {
		case fstHeader:
			if _, err := file.ReadAt(header[:], int64(at)); err != nil || at != 0 || length != fstHeaderLength {
				return errors.New("its header is not at its beginning")
			}
			kind = "header"
		case fstGeometry:
			kind = "geometry"
		}
		count[kind]++
		at += 1 + length
	}
	if sections := binary.BigEndian.Uint64(header[fstOffsetSections:]); count["values"] != sections {
		return fmt.Errorf("it has %d of %d sections of values", count["values"], sections)
	}
	for _, kind := range []string{"header", "geometry", "names"} {
		if count[kind] != 1 {
			return fmt.Errorf("it has no %s", kind)
		}
	}
	return nil
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("its end is cut off")
	}
	return err
}
