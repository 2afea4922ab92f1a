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
	fstBlackouts      = 2
	fstGeometry       = 3
	fstPacked         = 254 // all of the file
	fstHeaderLength   = 329
	fstOffsetEndian   = 25
	fstOffsetSections = 65
	fstBlockBytesMin  = 8
)

// fstBlocks says which types of blocks hold values (sections), and which names.
var fstBlocks = map[byte]string{
	fstHeader: "header", fstGeometry: "geometry", fstBlackouts: "blackouts",
	1: "values", 5: "values", 8: "values", 4: "names", 6: "names", 7: "names",
}

// fstFile is a whole FST: the first block of each kind without its type and length, and how many there are.
type fstFile struct {
	block map[string]*io.SectionReader
	count map[string]uint64
}

func checkFST(file *os.File) error {
	_, err := readFST(file)
	return err
}

func readFST(file *os.File) (f fstFile, err error) {
	info, err := file.Stat()
	if err != nil {
		return f, err
	}
	f = fstFile{map[string]*io.SectionReader{}, map[string]uint64{}}
	size, at := uint64(info.Size()), uint64(0)
	for at < size {
		var b [1 + fstBlockBytesMin]byte
		if _, err := file.ReadAt(b[:], int64(at)); err != nil {
			return f, cutShort(err)
		}
		length := binary.BigEndian.Uint64(b[1:])
		if length < fstBlockBytesMin || length > size-at-1 {
			return f, fmt.Errorf("its block at byte %d is not whole", at)
		}
		if b[0] == fstHeader && (at != 0 || length != fstHeaderLength) {
			return f, errors.New("its header is not at its beginning")
		}
		kind := fstBlocks[b[0]]
		if f.count[kind]++; f.count[kind] == 1 {
			f.block[kind] = io.NewSectionReader(file, int64(at)+int64(len(b)), int64(length-fstBlockBytesMin))
		}
		at += 1 + length
	}
	for _, kind := range []string{"header", "geometry", "names"} {
		if f.count[kind] != 1 {
			return f, fmt.Errorf("it has no %s", kind)
		}
	}
	var sections [8]byte
	if _, err := file.ReadAt(sections[:], fstOffsetSections); err != nil {
		return f, cutShort(err)
	}
	if sections := binary.BigEndian.Uint64(sections[:]); f.count["values"] != sections {
		return f, fmt.Errorf("it has %d of %d sections of values", f.count["values"], sections)
	}
	return f, nil
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("its end is cut off")
	}
	return err
}
