package hw

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type mode uint8

// registers has a column of every kind.
type registers struct {
	name    string
	u8      []uint8
	u16     []uint16
	u32     []uint32
	u64     []uint64
	i8      []int8
	i16     []int16
	i32     []int32
	i64     []int64
	mode    mode
	list    []uint32
	rebuilt int
}

func newRegisters(name string, n int) *registers {
	return &registers{name: name, u8: make([]uint8, n), u16: make([]uint16, n),
		u32: make([]uint32, n), u64: make([]uint64, n),
		i8: make([]int8, n), i16: make([]int16, n), i32: make([]int32, n), i64: make([]int64, n)}
}

func (r *registers) fill(seed uint64) *registers {
	for i := range r.u8 {
		x := Mix64(seed + uint64(i))
		r.u8[i], r.u16[i], r.u32[i], r.u64[i] = uint8(x), uint16(x), uint32(x), x
		r.i8[i], r.i16[i], r.i32[i], r.i64[i] = int8(x), int16(x), int32(x), int64(x)
	}
	r.mode = mode(seed % 3)
	r.list = r.list[:0]
	for i := range seed {
		r.list = append(r.list, uint32(i))
	}
	return r
}

func (r *registers) Path() string { return r.name }
func (r *registers) State(v *StateVisitor) {
	StateColumn(v, Future, "u8", r.u8)
	StateColumn(v, Future, "u16", r.u16)
	StateColumn(v, Future, "u32", r.u32)
	StateColumn(v, Future, "u64", r.u64)
	StateColumn(v, Future, "i8", r.i8)
	StateColumn(v, Future, "i16", r.i16)
	StateColumn(v, Future, "i32", r.i32)
	StateColumn(v, Future, "i64", r.i64)
	StateScalar(v, Future, "mode", &r.mode, AtMost[mode](2))
	StateList(v, Future, "list", &r.list)
	v.AfterRestore(func() { r.rebuilt++ })
}

func saved(t testing.TB, parts ...Stateful) []byte {
	var b bytes.Buffer
	require.NoError(t, Save(&b, parts...))
	return b.Bytes()
}

func TestStateRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 5, 20_000} {
		a, b := newRegisters("a", n).fill(7), newRegisters("b", 3).fill(2)
		data := saved(t, a, b)
		assert.Equal(t, data, saved(t, a, b), "the same state gives the same bytes")
		a2, b2 := newRegisters("a", n).fill(1), newRegisters("b", 3)
		r := bytes.NewReader(append(bytes.Clone(data), "rest"...))
		require.NoError(t, Restore(r, a2, b2))
		assert.Equal(t, 4, r.Len(), "exactly the saved bytes are read")
		assert.Equal(t, 1, a2.rebuilt)
		a2.rebuilt, b2.rebuilt = 0, 0
		assert.Equal(t, a, a2)
		assert.Equal(t, b, b2)
	}
}

// TestStatePinned pins the format.
func TestStatePinned(t *testing.T) {
	var x uint16 = 0x1234
	data := saved(t, scalarPart{&x})
	assert.Equal(t, "535441524c4f4f4d20535441544500"+"05"+"0300"+"702e78"+"02"+"0100000000000000"+"3412"+"0000", hex.EncodeToString(data[:len(data)-4]))
}

type scalarPart struct{ x *uint16 }

func (s scalarPart) Path() string          { return "p" }
func (s scalarPart) State(v *StateVisitor) { StateScalar(v, Future, "x", s.x) }

func TestStateBrokenChangesNothing(t *testing.T) {
	data := saved(t, newRegisters("a", 3).fill(3))
	check := func(data []byte, text string) error {
		r, untouched := newRegisters("a", 3).fill(5), newRegisters("a", 3).fill(5)
		err := Restore(bytes.NewReader(data), r)
		require.Error(t, err, text)
		require.Equal(t, untouched, r, text)
		return err
	}
	for size := range data {
		check(data[:size], fmt.Sprintf("cut at %d", size))
	}
	for i := range data {
		broken := bytes.Clone(data)
		broken[i] ^= 0x10
		check(broken, fmt.Sprintf("byte %d", i))
	}
	assert.ErrorContains(t, check(data[:30], ""), "a.u8")
	assert.ErrorContains(t, check(saved(t, newRegisters("a", 4).fill(1)), ""), `column "a.u8": it holds 4 elements, but this machine has 3`)
	assert.ErrorContains(t, check(saved(t, newRegisters("b", 3).fill(1)), ""), `column "a.u8": found "b.u8"`)
	assert.ErrorContains(t, check(saved(t, newRegisters("a", 3), newRegisters("b", 3)), ""), `the next column is "b.u8"`)
	assert.ErrorContains(t, check(saved(t), ""), `column "a.u8": found ""`)
	illegal := newRegisters("a", 3).fill(3)
	illegal.mode = 3
	assert.ErrorContains(t, check(saved(t, illegal), ""), `column "a.mode": element 0 is 3; at most 2`)
	assert.ErrorContains(t, check(saved(t, kindPart{}), ""), `column "a.u8": it holds int8, this machine has uint8`)
	assert.ErrorContains(t, check(append([]byte(stateMagic), stateVersion-1), ""), "format version 4, but this program "+
		"reads version 5")
}

type kindPart struct{}

func (kindPart) Path() string          { return "a" }
func (kindPart) State(v *StateVisitor) { StateColumn(v, Future, "u8", make([]int8, 3)) }

type failPart struct{}

func (failPart) Path() string          { return "f" }
func (failPart) State(v *StateVisitor) { v.Fail(errors.New("no")) }

type brokenWriter struct{ left int }

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

func TestSaveFails(t *testing.T) {
	assert.ErrorContains(t, Save(&bytes.Buffer{}, failPart{}), "no")
	size := len(saved(t, newRegisters("a", 2)))
	for left := range size {
		require.ErrorContains(t, Save(&brokenWriter{left}, newRegisters("a", 2)), "disk full")
	}
}

func FuzzRestore(f *testing.F) {
	f.Add(saved(f, newRegisters("a", 3).fill(3)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, untouched := newRegisters("a", 3).fill(5), newRegisters("a", 3).fill(5)
		if Restore(bytes.NewReader(data), r) != nil {
			require.Equal(t, untouched, r)
		}
	})
}
