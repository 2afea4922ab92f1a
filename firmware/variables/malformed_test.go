package variables_test

import (
	"debug/dwarf"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/firmware/variables"
	"starloom/firmware/wasm"
)

const stateBytes = 152

// broken returns the image with bytes of its debug sections replaced. An edit is an offset of two bytes into the last
// sections of the file, which hold the debug information, and a value.
func broken(image []byte, from int, edits []byte) []byte {
	image = slices.Clone(image)
	for ; len(edits) >= 3; edits = edits[3:] {
		image[from+int(binary.LittleEndian.Uint16(edits))%(len(image)-from)] = edits[2]
	}
	return image
}

// tryRead reads a layout that may be wrong and formats a state with it.
func tryRead(t *testing.T, image []byte) {
	rewritten, err := wasm.Rewrite(image)
	if err != nil {
		return
	}
	began := time.Now()
	var data *dwarf.Data
	if data = rewritten.Places().Data(); data == nil {
		return
	}
	layout, err := variables.Read(data, stateBytes)
	require.Less(t, time.Since(began), 10*time.Second)
	if err != nil {
		require.NotEmpty(t, err.Error())
		return
	}
	require.LessOrEqual(t, len(layout.Rows), 256)
	before, after := make([]byte, stateBytes), counted(stateBytes)
	layout.Line(after)
	layout.Changes(before, after)
	layout.About()
	layout.Scalars(func(_ *variables.Row, s *variables.Scalar) {
		require.Positive(t, s.Bits())
		require.LessOrEqual(t, s.Bits(), 64)
		s.States()
	})
}

func debugAt(t testing.TB, image []byte) int {
	at := slices.Index(image, 0) // any place after the header
	for k := range image[:len(image)-len(".debug_info")] {
		if string(image[k:k+len(".debug_")]) == ".debug_" {
			return k
		}
	}
	require.Fail(t, "the image has no debug information")
	return at
}

// TestMalformed reads debug information with wrong bytes: an error or a layout, but no crash and no endless loop.
func TestMalformed(t *testing.T) {
	rust, err := os.ReadFile("testdata/state.wasm")
	require.NoError(t, err)
	draw := rand.New(rand.NewPCG(1, 2))
	for name, image := range map[string][]byte{"C": built(t, "testdata/members.c", "2"),
		"C++": built(t, "testdata/members.cc", "0"), "Rust": rust} {
		from := debugAt(t, image)
		for range 700 {
			edits := make([]byte, 3*(1+draw.IntN(8)))
			for i := range edits {
				edits[i] = byte(draw.Uint32())
			}
			t.Logf("%s %x", name, edits)
			tryRead(t, broken(image, from, edits))
		}
	}
}

// FuzzMalformed is TestMalformed with drawn edits.
func FuzzMalformed(f *testing.F) {
	image, err := os.ReadFile("testdata/state.wasm")
	require.NoError(f, err)
	from := debugAt(f, image)
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, edits []byte) { tryRead(t, broken(image, from, edits)) })
}
