package cores

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim/prove"
)

// proved proves a module of RTL equal to a module of testdata.
func proved(t *testing.T, model, top string, o prove.Options, files ...string) *prove.Report {
	var sources string
	for _, f := range files {
		path, err := filepath.Abs(f)
		require.NoError(t, err)
		sources += path + ", "
	}
	folder, err := filepath.Abs("internal/systemtest/cores/testdata")
	require.NoError(t, err)
	clock := ""
	if top == "rv32_monitor" {
		clock = "clock: clock\nreset: reset\n"
	}
	path := filepath.Join(t.TempDir(), "map.yml")
	text := fmt.Appendf(nil, "model: {top: %s, sources: [%s/%s.v]}\ntop: %s\nsources: [%s]\n%s", model, folder, model, top,
		sources, clock)
	require.NoError(t, os.WriteFile(path, text, 0o666))
	m, err := starloom.LoadPinMap(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	r, err := prove.Run(context.Background(), m, o)
	require.NoError(t, err)
	return r
}

// copied copies the files of the core to a folder, with a planted error, "" for none.
func copied(t *testing.T, planted string) (files []string) {
	folder := t.TempDir()
	for _, name := range coreFiles {
		source, err := os.ReadFile(coreFolder + name)
		require.NoError(t, err)
		text := string(source)
		for k := range mutants {
			if m := &mutants[k]; m.name == planted && m.file == name {
				text = m.apply(t, text, "1'b1")
			}
		}
		files = append(files, filepath.Join(folder, name))
		require.NoError(t, os.WriteFile(files[len(files)-1], []byte(text), 0o666))
	}
	return files
}

// TestLongParts: the decompressor equals a table in the order of the manual, and the ALU the operators of Verilog, for
// all inputs. Planted errors are refuted.
func TestLongParts(t *testing.T) {
	for planted, verdict := range map[string]string{"": prove.Equal, "sltiu is signed": prove.Differs,
		"c.lwsp with two bits swapped": prove.Differs} {
		files, o := copied(t, planted), prove.Options{Limit: 3 * time.Minute}
		if !strings.HasPrefix(planted, "c.") {
			require.Equal(t, verdict, proved(t, "rv32_alu_operators", "rv32_alu", o, files[3]).Verdict, planted)
		}
		if !strings.HasPrefix(planted, "sl") {
			require.Equal(t, verdict, proved(t, "rv32_decompress_table", "rv32_decompress", o, files[1]).Verdict, planted)
		}
	}
}

var readsRegister = regexp.MustCompile(`registers_q\[word_q\[(19:15|24:20)\]\];`)

// withoutRegisters replaces the values that the core reads from its registers by inputs of the monitor.
func withoutRegisters(t *testing.T, path string) {
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	text := readsRegister.ReplaceAllStringFunc(string(source), func(read string) string {
		if strings.Contains(read, "19:15") {
			return "rv32_monitor.first_i;"
		}
		return "rv32_monitor.second_i;"
	})
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "registers_q") { // declaration and write
			kept = append(kept, line)
		}
	}
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(kept, "")), 0o666))
}

// TestLongInstructions: by induction each instruction does what rv32_step.v says, in as many cycles, for any values of
// registers and memory. The engines of a proof check the first cycles after a reset, ABC the step from any state.
// Planted errors are refuted, or the step fails.
func TestLongInstructions(t *testing.T) {
	for _, planted := range []string{"", "four more cycles for a shift", "no refill after a branch"} {
		files, folder := copied(t, planted), filepath.Join(t.TempDir(), "proof")
		withoutRegisters(t, files[0])
		const data = "internal/systemtest/cores/testdata/"
		r := proved(t, "rv32_quiet", "rv32_monitor", prove.Options{Limit: 10 * time.Second, Folder: folder, NoCache: true},
			append(files, data+"rv32_monitor.v", data+"rv32_step.v")...)
		holds := r.Verdict == prove.Equal
		if r.Verdict == prove.Undecided {
			require.Greater(t, r.Depth, 2)
			out, err := exec.Command("yosys-abc", "-c", "read_aiger "+filepath.Join(folder, "cone-1.aig")+
				"; strash; scleanup; ind -F 2 -C 10000000").CombinedOutput()
			require.NoError(t, err, string(out))
			holds = strings.Contains(string(out), "Networks are equivalent")
		}
		require.Equal(t, planted == "", holds, planted)
	}
}
