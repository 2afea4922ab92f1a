package vcd

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// fst2vcd leaves two things of an FST out, which are read from its blocks.
//
//	values before time 0     where the first time is 0; they are the frame at the head of the first section:
//	                         first, last, memory, then varints (bytes, packed bytes, signals), then the values
//	$dumpoff and $dumpon     all but one of a time, and all after those; they are a block of their own:
//	                         how many, then of each a byte (1: on) and the time since the one before
//
// A signal's bytes in the frame are in the geometry: a digit for each bit, 8 of a real (0 there), none of a text.
type leftOut struct {
	initial []byte     // changes, as in a VCD
	given   []SignalID // whose changes they are
	pauses  []pause
}

type pause struct {
	time uint64 // in the file's unit
	on   bool
}

const (
	fstLengthText  = math.MaxUint32
	frameBytesMax  = 512 << 20
	sectionHeading = 24 // first, last, memory
)

var errFSTStart = errors.New("its initial values or its pauses are damaged")

func (f *fstFile) leftOut() (*leftOut, error) {
	pauses, err := f.readPauses()
	if err != nil {
		return nil, err
	}
	left := &leftOut{pauses: pauses}
	return left, f.readInitial(left)
}

func (f *fstFile) readPauses() (pauses []pause, err error) {
	block := f.block["blackouts"]
	if block == nil {
		return nil, nil
	}
	r := bufio.NewReader(block)
	count, err := binary.ReadUvarint(r)
	time := uint64(0)
	for ; err == nil && count > 0; count-- {
		var on byte
		var delta uint64
		if on, err = r.ReadByte(); err == nil {
			delta, err = binary.ReadUvarint(r)
		}
		time += delta
		pauses = append(pauses, pause{time, on != 0})
	}
	if err != nil {
		return nil, errFSTStart
	}
	return pauses, nil
}

// readInitial writes those values of the frame as changes of a VCD that say something: no x, no NaN.
func (f *fstFile) readInitial(left *leftOut) error {
	section := f.block["values"]
	if section == nil {
		return nil
	}
	if _, err := section.Seek(sectionHeading, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReader(section)
	var size [3]uint64 // bytes, packed bytes, signals
	for i := range size {
		var err error
		if size[i], err = binary.ReadUvarint(r); err != nil {
			return errFSTStart
		}
	}
	if size[0] > frameBytesMax {
		return fmt.Errorf("its signals have %d bytes, more than %d", size[0], frameBytesMax)
	}
	frame, err := unpacked(r, size[0], size[1])
	if err != nil {
		return err
	}
	var numbers [16]byte // bytes, signals
	geometry := f.block["geometry"]
	if _, err := io.ReadFull(geometry, numbers[:]); err != nil {
		return errFSTStart
	}
	lengths, err := unpacked(bufio.NewReader(geometry), binary.BigEndian.Uint64(numbers[:]), uint64(geometry.Size())-uint64(len(numbers)))
	if err != nil {
		return err
	}
	var endian [1]byte
	if _, err := f.block["header"].ReadAt(endian[:], fstOffsetEndian-1-fstBlockBytesMin); err != nil {
		return err
	}
	return left.addFrame(bufio.NewReader(frame), bufio.NewReader(lengths), size[2], endian[0] == byte(math.Float64bits(math.E)>>56))
}

// unpacked is a part of a block: so many bytes, packed if they are fewer there.
func unpacked(r io.Reader, bytes, packed uint64) (io.Reader, error) {
	if bytes == packed {
		return io.LimitReader(r, int64(bytes)), nil
	}
	z, err := zlib.NewReader(io.LimitReader(r, int64(min(packed, math.MaxInt64))))
	if err != nil {
		return nil, errFSTStart
	}
	return io.LimitReader(z, int64(min(bytes, math.MaxInt64))), nil
}

func (left *leftOut) addFrame(frame io.Reader, lengths io.ByteReader, signals uint64, bigEndian bool) error {
	add := func(id uint64, format string, value any) {
		left.initial = fmt.Appendf(left.initial, format+"%s\n", value, appendCode(nil, SignalID(id)))
		left.given = append(left.given, SignalID(id))
	}
	for id := range signals {
		length, err := binary.ReadUvarint(lengths)
		if err != nil || length > bitsMax && length != fstLengthText {
			return errFSTStart
		}
		bits := length
		switch length {
		case fstLengthText:
			continue
		case 0:
			length = 8
		}
		value := make([]byte, length)
		if _, err := io.ReadFull(frame, value); err != nil {
			return errFSTStart
		}
		switch {
		case bits > 0 && strings.Trim(string(value), "xX") == "":
		case bits == 1:
			add(id, "%s", value)
		case bits > 1 && strings.Contains(string(value), " "): // a port, with its strengths
			add(id, "p%s ", value)
		case bits > 1:
			add(id, "b%s ", value)
		default:
			number := math.Float64frombits(binary.LittleEndian.Uint64(value))
			if bigEndian {
				number = math.Float64frombits(binary.BigEndian.Uint64(value))
			}
			if !math.IsNaN(number) {
				add(id, "r%.16g ", number)
			}
		}
	}
	return nil
}
