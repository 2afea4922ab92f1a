package variables_test

import (
	"debug/dwarf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware"
	"starloom/firmware/variables"
	"starloom/firmware/wasm"
)

func built(t testing.TB, source, level string) []byte {
	output := filepath.Join(t.TempDir(), "image.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: output, Level: level}))
	image, err := os.ReadFile(output)
	require.NoError(t, err)
	return image
}

func debug(t testing.TB, image []byte) *dwarf.Data {
	rewritten, err := wasm.Rewrite(image)
	require.NoError(t, err)
	return rewritten.Places().Data()
}

// counted returns a state whose bytes count up from 1.
func counted(bytes int) []byte {
	state := make([]byte, bytes)
	for i := range state {
		state[i] = byte(i + 1)
	}
	return state
}

// lines returns the changes between two states, one a line, and the description of the state.
func lines(t *testing.T, data *dwarf.Data, before, after []byte) (about, list string) {
	layout, err := variables.Read(data, len(after))
	require.NoError(t, err)
	require.NotContains(t, layout.Line(after), "*")
	return layout.About(), strings.ReplaceAll(layout.Changes(before, after), ", ", "\n")
}

// TestC reads members of all kinds, from unoptimised and optimised builds.
func TestC(t *testing.T) {
	const bytes, changes = 152, 40
	for _, level := range []string{"0", "1", "2", "s"} {
		data := debug(t, built(t, "testdata/members.c", level))
		after := counted(bytes)
		copy(after, []byte{9, 0, 0, 0, 0b10110_101, 0x0e})
		copy(after[8:], []byte{1, 0, 0, 0, 0xfe, 0xff})
		copy(after[104:], "ab\x00cde")
		about, list := lines(t, data, make([]byte, bytes), after)
		require.Equal(t, "variables of state_t, 152 bytes, as each call leaves them; not there: nothing (it has no bytes), tail (it has no elements)", about)
		require.Equal(t, strings.TrimSpace(`
phase IDLE -> DONE
flags 0 -> 5
tries 0 -> 22
delta 0 -> -2
queue[0].origin 0 -> 1
queue[0].hops 0 -> -2
queue[1].origin 0 -> 336794129 (0x14131211)
queue[1].hops 0 -> 5653
list[0] 0 -> 6681
list[1] 0 -> 7195
list[2] 0 -> 7709
list[3] 0 -> 8223
list[4] 0 -> 8737
list[5] 0 -> 9251
list[6] 0 -> 9765
list[7] 0 -> 10279
list[8] 0 -> 10793
list[9] 0 -> 11307
list[10] 0 -> 11821
list[11] 0 -> 12335
list[12] 0 -> 12849
list[13] 0 -> 13363
list[14] 0 -> 13877
list[15] 0 -> 14391
list[16..39] changed
name "" -> "ab"
word 0 -> 1953722993 (0x74737271)
share 0 -> 7.7151446e+31
at.x 0 -> 30325
at.y 0 -> 30839
who 0x0 -> 0x7c7b7a79
grid[0][0] 0 -> 125
grid[0][1] 0 -> 126
grid[0][2] 0 -> 127
grid[1][0] 0 -> 128
grid[1][1] 0 -> 129
grid[1][2] 0 -> 130
on false -> 131 (not a bool)
mean 0 -> -6.504395154765953e-229
big 0 -> 10995422584435348113 (0x9897969594939291)`), strings.Join(strings.Split(list, "\n")[:changes], "\n"), level)
		layout, err := variables.Read(data, bytes)
		require.NoError(t, err)
		require.Contains(t, layout.Line(after), "list=[6681 7195")
	}
}

// TestOneChange names one element, and the elements that are not shown.
func TestOneChange(t *testing.T) {
	layout, err := variables.Read(debug(t, built(t, "testdata/members.c", "2")), 152)
	require.NoError(t, err)
	before, after := make([]byte, 152), make([]byte, 152)
	after[24+2*3], after[24+2*39] = 7, 1
	require.Equal(t, "list[3] 0 -> 7, list[16..39] changed", layout.Changes(before, after))
	require.Empty(t, layout.Changes(after, after))
	for i := range layout.Rows {
		if r := &layout.Rows[i]; r.Name == "list" {
			require.Equal(t, "[0 0 0 *7 0 0 0 0 0 0 0 0 0 0 0 0 *and 24 more]", r.Cell(before, after))
			require.Equal(t, "uint16_t[40]", r.Declared())
		}
	}
}

// TestVersions reads what other compilers write: DWARF 4 and 5, and a class that is only declared.
func TestVersions(t *testing.T) {
	compiled := func(source string, flags ...string) *dwarf.Data {
		dir := t.TempDir()
		object, image := filepath.Join(dir, "image.o"), filepath.Join(dir, "image.wasm")
		compile := append(flags, "--target=wasm32", "-O2", "-g", "-ffreestanding", "-mbulk-memory", "-msign-ext",
			"-mmutable-globals", "-I", "../sdk", "-c", "-o", object, source)
		link := []string{"--no-entry", "--stack-first", "-z", "stack-size=16384", "--export=__stack_pointer", "-o", image, object}
		for _, command := range []*exec.Cmd{exec.Command("clang", compile...), exec.Command("wasm-ld", link...)} {
			out, err := command.CombinedOutput()
			require.NoError(t, err, string(out))
		}
		binary, err := os.ReadFile(image)
		require.NoError(t, err)
		return debug(t, binary)
	}
	after := counted(152)
	about, want := lines(t, debug(t, built(t, "testdata/members.c", "2")), make([]byte, 152), after)
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		said, list := lines(t, compiled("testdata/members.c", version), make([]byte, 152), after)
		require.Equal(t, about+want, said+list, version)
	}
	_, err := variables.Read(compiled("testdata/members.cc"), 24)
	require.EqualError(t, err, "has debug information in which State is only declared; with -fstandalone-debug clang writes its members")
	_, err = variables.Read(compiled("testdata/members.c"), 136)
	require.EqualError(t, err, "has debug information without a state of 136 bytes: no function has the arguments sl_nic * and a pointer to such a struct")
}

func TestCPlusPlus(t *testing.T) {
	for _, level := range []string{"0", "2"} {
		about, list := lines(t, debug(t, built(t, "testdata/members.cc", level)), make([]byte, 24), counted(24))
		require.Equal(t, "variables of State, 24 bytes, as each call leaves them; not there: Counter.limit (it is static)", about)
		require.Equal(t, strings.TrimSpace(`
Counter.count 0 -> 67305985
phase idle -> 5 (no enumerator)
ring.entries[0] 0 -> 2055
ring.entries[1] 0 -> 2569
ring.entries[2] 0 -> 3083
ring.entries[3] 0 -> 3597
ring.first 0 -> 15
ring.used 0 -> 16
other 0x0 -> 0x14131211
sent false -> 21 (not a bool)`), list, level)
	}
}

func TestRust(t *testing.T) {
	image, err := os.ReadFile("testdata/state.wasm")
	require.NoError(t, err)
	data := debug(t, image)
	after := make([]byte, 136)
	after[0], after[4] = 1, 77    // held: Some(77)
	after[8] = 'x'                // letter
	after[12], after[16] = 2, 5   // last: Ack(5)
	after[132], after[133] = 1, 9 // acknowledged, phase
	about, list := lines(t, data, make([]byte, 136), after)
	require.Equal(t, "variables of State, 136 bytes, as each call leaves them; not there: none (it has no bytes)", about)
	require.Equal(t, strings.TrimSpace(`
phase Idle -> Done
acknowledged false -> true
held None -> Some
held.Some.__0 - -> 77
last Quiet -> Ack
last.Ack.__0 - -> 5
letter 0 -> 'x'`), list)
	layout, err := variables.Read(data, 136)
	require.NoError(t, err)
	require.Equal(t, "phase=Done, acknowledged=true, sent=0, queue[0].origin=0, queue[0].destination=0, queue[1].origin=0, queue[1].destination=0, "+
		"list=[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 and 24 more], held=Some, held.Some.__0=77, last=Ack, last.Data.origin=-, last.Data.hops=-, "+
		"last.Ack.__0=5, near=None, near.Some.__0=-, pair.__0=0, pair.__1=0, who=0x0, letter='x'", layout.Line(after))
	after[120] = 1
	_, list = lines(t, data, make([]byte, 136), after)
	require.Contains(t, list, "near None -> Some\nnear.Some.__0 - -> 0x1", "without a discriminant of its own")
}

// TestPrograms finds the state of every built-in program.
func TestPrograms(t *testing.T) {
	for _, name := range firmware.Programs() {
		image, err := firmware.ProgramImage(name)
		require.NoError(t, err)
		data, found := debug(t, image), 0
		for bytes := 0; bytes < 1<<16 && found < 1; bytes += 8 {
			if layout, err := variables.Read(data, bytes); err == nil {
				require.Equal(t, "state_t", layout.Type, name)
				found++
			}
		}
		require.Equal(t, 1, found, name)
	}
}
