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

// lines returns the variables of a state, one a line, and what is said of all.
func lines(t *testing.T, data *dwarf.Data, before, after []byte) (about, list string) {
	layout, err := variables.Read(data, len(after))
	require.NoError(t, err)
	return layout.About(), strings.ReplaceAll(layout.Line(before, after), ", ", "\n")
}

// TestC reads members of all kinds, from unoptimised and optimised builds.
func TestC(t *testing.T) {
	const bytes = 152
	for _, level := range []string{"0", "1", "2", "s"} {
		data := debug(t, built(t, "testdata/members.c", level))
		after := counted(bytes)
		copy(after, []byte{9, 0, 0, 0, 0b10110_101, 0x0e})
		copy(after[8:], []byte{1, 0, 0, 0, 0xfe, 0xff})
		copy(after[104:], "ab\x00cde")
		about, list := lines(t, data, make([]byte, bytes), after)
		require.Equal(t, "variables of state_t, 152 bytes; * marks a change; not there: nothing (it has no bytes), tail (it has no elements)", about)
		require.Equal(t, strings.TrimSpace(`
*phase=DONE (was IDLE)
*flags=5 (was 0)
*tries=22 (was 0)
*delta=-2 (was 0)
*queue[0].origin=1 (was 0)
*queue[0].hops=-2 (was 0)
*queue[1].origin=336794129 (was 0)
*queue[1].hops=5653 (was 0)
*list=[*6681 *7195 *7709 *8223 *8737 *9251 *9765 *10279 *10793 *11307 *11821 *12335 *12849 *13363 *13877 *14391 *and 24 more]
*name="ab" (was "")
*word=1953722993 (was 0)
*share=7.7151446e+31 (was 0)
*at.x=30325 (was 0)
*at.y=30839 (was 0)
*who=0x7c7b7a79 (was 0x0)
*grid[0]=[*125 *126 *127]
*grid[1]=[*128 *129 *130]
*on=131 (not a bool) (was false)
*mean=-6.504395154765953e-229 (was 0)
*big=10995422584435348113 (was 0)`), strings.Join(strings.Split(list, "\n")[:20], "\n"), level)
		_, list = lines(t, data, after, after)
		require.NotContains(t, list, "*")
		require.Contains(t, list, "list=[6681 7195")
	}
}

// TestOneChange marks one element, and the elements that are not shown.
func TestOneChange(t *testing.T) {
	layout, err := variables.Read(debug(t, built(t, "testdata/members.c", "2")), 152)
	require.NoError(t, err)
	before, after := make([]byte, 152), make([]byte, 152)
	after[24+2*3], after[24+2*39] = 7, 1
	var marked []string
	for _, part := range strings.Split(layout.Line(before, after), ", ") {
		if strings.HasPrefix(part, "*") {
			marked = append(marked, part)
		}
	}
	require.Equal(t, []string{"*list=[0 0 0 *7 0 0 0 0 0 0 0 0 0 0 0 0 *and 24 more]"}, marked)
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
		require.Equal(t, "variables of State, 24 bytes; * marks a change; not there: Counter.limit (it is static)", about)
		require.Equal(t, strings.TrimSpace(`
*Counter.count=67305985 (was 0)
*phase=5 (no enumerator) (was idle)
*ring.entries=[*2055 *2569 *3083 *3597]
*ring.first=15 (was 0)
*ring.used=16 (was 0)
*other=0x14131211 (was 0x0)
*sent=21 (not a bool) (was false)`), list, level)
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
	require.Equal(t, "variables of State, 136 bytes; * marks a change; not there: none (it has no bytes)", about)
	require.Equal(t, strings.TrimSpace(`
*phase=Done (was Idle)
*acknowledged=true (was false)
sent=0
queue[0].origin=0
queue[0].destination=0
queue[1].origin=0
queue[1].destination=0
list=[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 and 24 more]
*held=Some (was None)
*held.Some.__0=77 (was -)
*last=Ack (was Quiet)
last.Data.origin=-
last.Data.hops=-
*last.Ack.__0=5 (was -)
near=None
near.Some.__0=-
pair.__0=0
pair.__1=0
who=0x0
*letter='x' (was 0)`), list)
	after[120] = 1
	_, list = lines(t, data, make([]byte, 136), after)
	require.Contains(t, list, "*near=Some (was None)\n*near.Some.__0=0x1 (was -)", "without a discriminant of its own")
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
