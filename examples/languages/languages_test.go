package languages

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
)

var (
	full   = flag.Bool("full", false, "run the long tests")
	update = flag.Bool("update", false, "rebuild the committed images")
)

// committed lists the languages whose compilers tests do not install.
var committed = []string{"rust", "assemblyscript"}

// ending is the suffix of a source's name, by language.
var ending = map[string]string{"c": ".c", "cpp": ".cc", "rust": ".rs", "assemblyscript": ".ts", "go": ".go"}

// router is the example; talks uses the rest of the ABI files.
const router, talks = "router", "talks"

var scenario = map[string]string{router: "c/router.yaml", talks: "testdata/talks/talks.yaml"}

// sum returns the hash of the sources of an image.
func sum(t *testing.T, language string) string {
	hash := sha256.New()
	for _, l := range All {
		for _, file := range l.Files {
			if l.Name != language || file == "README.md" || file == ".gitignore" || file == "router.yaml" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(language, file))
			require.NoError(t, err)
			fmt.Fprintf(hash, "%s %d\n%s", file, len(text), text)
		}
	}
	text, err := os.ReadFile("testdata/talks/talks" + ending[language])
	require.NoError(t, err)
	fmt.Fprintf(hash, "%d\n%s", len(text), text)
	return fmt.Sprintf("%s %x\n", language, hash.Sum(nil))
}

// project creates a project with a program in place of the router.
func project(t *testing.T, language, program string) string {
	folder := filepath.Join(t.TempDir(), router)
	require.NoError(t, New(language, false, folder))
	if program != router {
		text, err := os.ReadFile("testdata/talks/talks" + ending[language])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, router+ending[language]), text, 0o644))
	}
	return folder
}

func image(t *testing.T, language string) string { return imageOf(t, language, router) }

// imageOf returns the image of a program, built if its tools are always installed.
func imageOf(t *testing.T, language, program string) string {
	switch language {
	case "c", "cpp":
		output := filepath.Join(t.TempDir(), language+".wasm")
		source := filepath.Join(project(t, language, program), router+ending[language])
		require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: output}))
		return output
	case "go":
		folder := project(t, language, program)
		build := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-o", "router.wasm", ".")
		build.Dir, build.Env = folder, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
		out, err := build.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return filepath.Join(folder, "router.wasm")
	}
	return committedImage(language, program)
}

func committedImage(language, program string) string {
	if program == router {
		return filepath.Join("testdata", language+".wasm")
	}
	return filepath.Join("testdata", program, language+".wasm")
}

func digest(t *testing.T, image, program, mode, runtime string) string {
	s, err := starloom.LoadScenario(scenario[program])
	require.NoError(t, err)
	require.NoError(t, s.Override(t.Context(), starloom.Overrides{Mode: mode, Image: image}))
	options := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Runtime: runtime}}
	report, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 5}, options)
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	return report.Digest
}

// TestAgree checks that programs in five languages behave alike in every slot, banked and isolated. Go's runtime
// serves one processor per instance.
func TestAgree(t *testing.T) {
	want := digest(t, image(t, "c"), router, starloom.ModeBanked, "compiler")
	for _, l := range All {
		file := image(t, l.Name)
		require.Equal(t, want, digest(t, file, router, starloom.ModeIsolated, "compiler"), l.Name)
		if l.Name == "go" {
			s, err := starloom.LoadScenario(scenario[router])
			require.NoError(t, err)
			require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: file}))
			_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
			require.ErrorContains(t, err, "serves one processor per instance; give firmware.mode: isolated")
			continue
		}
		require.Equal(t, want, digest(t, file, router, starloom.ModeBanked, "compiler"), l.Name)
		require.Equal(t, want, digest(t, file, router, starloom.ModeBanked, "interpreter"), l.Name)
	}
}

// TestTalk does the same for NICs that use all ports in a slot, frames with payloads and tags, deliveries and
// results.
func TestTalk(t *testing.T) {
	want := digest(t, imageOf(t, "c", talks), talks, starloom.ModeBanked, "compiler")
	for _, language := range append([]string{"go"}, committed...) {
		file := imageOf(t, language, talks)
		require.Equal(t, want, digest(t, file, talks, starloom.ModeIsolated, "compiler"), language)
		if language != "go" {
			require.Equal(t, want, digest(t, file, talks, starloom.ModeBanked, "compiler"), language)
		}
	}
}

// TestCheck checks in all languages that results do not depend on the way of execution, and that no frame does harm.
// Without -full, it checks only an image that need not be built.
func TestCheck(t *testing.T) {
	for _, l := range All {
		if l.Name != "assemblyscript" && !*full {
			continue
		}
		s, err := starloom.LoadScenario("c/router.yaml")
		require.NoError(t, err)
		require.NoError(t, s.Override(t.Context(), starloom.Overrides{Image: image(t, l.Name)}))
		check, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: 300})
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, check.WriteText(&text))
		require.Equal(t, starloom.VerdictPass, check.Verdict, "%s: %s", l.Name, text.String())
		require.Equal(t, l.Name == "go", len(check.NotCompared) > 0)
	}
}

// TestCommittedImages checks that an image in testdata was built from the sources beside it.
func TestCommittedImages(t *testing.T) {
	want := ""
	for _, language := range committed {
		want += sum(t, language)
	}
	got, err := os.ReadFile("testdata/sources.sha256")
	require.NoError(t, err)
	require.Equal(t, want, string(got), "the sources have changed: with rustc and npm, run go test ./examples/languages -run Rebuild -full -update")
}

// TestRebuild builds the committed images again with the project's Makefile. Another version of a compiler yields
// other bytes, which must behave alike.
func TestRebuild(t *testing.T) {
	if !*full {
		return // TestCommittedImages checks the sources; -full needs rustc with wasm32-unknown-unknown, wasm-ld, npm
	}
	sums := ""
	for _, language := range committed {
		for _, program := range []string{router, talks} {
			folder := project(t, language, program)
			make := exec.Command("make", "router.wasm", "RUSTFLAGS=-C link-arg=--strip-debug")
			make.Dir = folder
			out, err := make.CombinedOutput()
			require.NoError(t, err, "%s: %s", language, out)
			rebuilt := filepath.Join(folder, "router.wasm")
			require.Equal(t, digest(t, imageOf(t, "c", program), program, starloom.ModeBanked, "compiler"), digest(t, rebuilt, program, starloom.ModeBanked, "compiler"))
			if *update {
				binary, err := os.ReadFile(rebuilt)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(committedImage(language, program), binary, 0o644))
			}
		}
		sums += sum(t, language)
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/sources.sha256", []byte(sums), 0o644))
	}
}

// TestNew checks that a project has the files of its example under its own name.
func TestNew(t *testing.T) {
	for _, l := range append([]Language{drawn}, All...) {
		folder := filepath.Join(t.TempDir(), "ring-7")
		language := l.Name
		if l.Name == drawn.Name {
			language = Netlist
		}
		require.NoError(t, New(language, l.Name == drawn.Name, folder))
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, entry := range entries {
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			require.NoError(t, err)
			require.False(t, bytes.Contains(text, []byte(exampleName)), entry.Name())
			require.False(t, bytes.Contains(text, []byte("schema.json")), "%s names a file that is not there", entry.Name())
		}
		examples, err := os.ReadDir(l.Name)
		require.NoError(t, err)
		for _, example := range examples {
			name := strings.ReplaceAll(example.Name(), exampleName, "ring-7")
			if ignored(t, l.Name, example.Name()) {
				continue
			}
			require.FileExists(t, filepath.Join(folder, name))
		}
		require.ErrorContains(t, New(language, l.Name == drawn.Name, folder), "exists")
	}
	for _, name := range []string{"", "..", "9", "My", "a b", "starloom"} {
		require.ErrorContains(t, New("c", false, filepath.Join(t.TempDir(), name)), "cannot be the name")
	}
	require.ErrorContains(t, New("ada", false, filepath.Join(t.TempDir(), "x")), "no language")
}

func ignored(t *testing.T, language, file string) bool {
	text, err := os.ReadFile(filepath.Join(language, ".gitignore"))
	require.NoError(t, err)
	for _, line := range strings.Fields(string(text)) {
		if strings.TrimSuffix(line, "/") == file {
			return true
		}
	}
	return false
}

// TestTrapsAreNamed checks that an index out of range is reported with the names that the project's Makefile keeps:
// function, file and line in Rust and AssemblyScript, the functions and the panic's text in Go. The report has slot
// and cycle, which are equal in all languages.
func TestTrapsAreNamed(t *testing.T) {
	if !*full {
		return // like TestRebuild; TestRuntimePanics of package firmware needs no Go
	}
	for language, c := range map[string]struct{ line, broken, message, frame string }{
		"rust":           {"    s.sent += 1;", "    s.sent += 1 + [0u32, 0][s.sent as usize];", "trapped in data_slot at router.rs:44", "data_slot at router.rs:44"},
		"assemblyscript": {"  sl.probe(0, ++s.sent);", "  sl.probe(0, ++s.sent > 2 ? load<u32>(0xfffffff0) : s.sent);", "trapped in router/dataSlot at router.ts:35:", "router/starloom_slot at router.ts:51:"},
		"go":             {"	state.sent++", "	state.sent += []uint64{1, 1}[state.sent]", ": panic: runtime error: index out of range [2] with length 2 (unreachable)", "main.dataSlot"},
	} {
		folder := project(t, language, router)
		source := filepath.Join(folder, router+ending[language])
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		require.Contains(t, string(text), c.line)
		require.NoError(t, os.WriteFile(source, bytes.Replace(text, []byte(c.line), []byte(c.broken), 1), 0o644))
		make := exec.Command("make", "router.wasm")
		make.Dir = folder
		out, err := make.CombinedOutput()
		require.NoError(t, err, "%s: %s", language, out)
		s, err := starloom.LoadScenario(filepath.Join(folder, "router.yaml"))
		require.NoError(t, err)
		require.NoError(t, s.Override(t.Context(), starloom.Overrides{Mode: starloom.ModeIsolated}))
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		first := report.Violations[0]
		require.Equal(t, starloom.RuleTrap, first.Rule)
		require.Equal(t, "pops.group[0].nic[0]", first.Path, language)
		require.EqualValues(t, []uint64{32, 32 * 6}, []uint64{first.Slot, first.Cycle}, "%s: the third frame of processor 0, at the start of the slot", language)
		require.Contains(t, first.Message, c.message)
		frames := ""
		for _, frame := range first.Backtrace {
			frames += frame.String() + "\n"
		}
		require.Contains(t, frames, c.frame)
	}
}
