package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/internal/sourcestest"
)

const top = "../.."

func dist(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	command := exec.Command("make", append([]string{"-s", "dist"}, arguments...)...)
	command.Dir = folder
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") }) // a parent make has its own jobs
	said, err := command.CombinedOutput()
	require.NoError(t, err, "%s", said)
	return string(said)
}

var full = flag.Bool("full", false, "build for all six systems and architectures, not for two")

// TestLongDist builds the same in two folders. Programs for linux are run, that for arm64 in an emulator; those for
// darwin and windows are only inspected, with -full. TestLongOtherSystems of package house type-checks the sources
// for Windows.
func TestLongDist(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for several systems")
	}
	targets := []string{"linux/amd64", "linux/arm64"}
	if *full {
		targets = allTargets
	}
	chosen := "TARGETS=" + strings.Join(targets, " ")
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "another/folder, with a longer name")
	sourcestest.Copy(t, top, one, nil)
	sourcestest.Copy(t, top, two, nil)
	sums := dist(t, one, chosen)
	require.Equal(t, sums, dist(t, two, chosen), "the folder is in them, or the time")
	listed, err := os.ReadFile(filepath.Join(one, "dist/SHA256SUMS"))
	require.NoError(t, err)
	require.Equal(t, sums, string(listed))
	check := exec.Command("sha256sum", "-c", "--strict", "SHA256SUMS")
	check.Dir = filepath.Join(one, "dist")
	said, err := check.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Equal(t, len(targets), strings.Count(string(said), ": OK\n"))
	entries, err := os.ReadDir(filepath.Join(one, "dist"))
	require.NoError(t, err)
	require.Len(t, entries, len(targets)+1)

	licence, err := os.ReadFile(filepath.Join(top, "LICENSE"))
	require.NoError(t, err)
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			name := "starloom-" + strings.ReplaceAll(target, "/", "-")
			all := unpacked(t, filepath.Join(one, "dist", name))
			require.Equal(t, string(licence), string(all["LICENSE"]))
			require.Contains(t, string(all["README.md"]), "Starloom")
			require.Contains(t, string(all["man/man1/starloom-run.1"]), "STARLOOM\\-RUN")
			require.Contains(t, string(all["completion/starloom.bash"]), "__start_starloom")
			require.Contains(t, string(all["completion/_starloom"]), "#compdef starloom")
			for path, data := range all {
				require.NotContains(t, string(data), filepath.Dir(one), "%s has the folder in it", path)
			}
			isStatic(t, target, all)
			runs(t, target, all["starloom"])
		})
	}
}

// unpacked reads an archive with an independent reader and returns the contents of its folder.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	all, order := map[string][]byte{}, []string{}
	add := func(name string, data []byte) {
		inside, ok := strings.CutPrefix(name, filepath.Base(path)+"/")
		require.True(t, ok, name)
		all[inside] = data
		order = append(order, name)
	}
	if data, err := os.ReadFile(path + ".zip"); err == nil {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		for _, f := range r.File {
			require.True(t, released.Equal(f.Modified), f.Name)
			entry, err := f.Open()
			require.NoError(t, err)
			data, err := io.ReadAll(entry)
			require.NoError(t, err)
			add(f.Name, data)
		}
	} else {
		data, err := os.ReadFile(path + ".tar.gz")
		require.NoError(t, err)
		compressed, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		require.True(t, compressed.ModTime.IsZero())
		for r := tar.NewReader(compressed); ; {
			header, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			require.Equal(t, "1980-01-01 0 0  ", fmt.Sprintf("%s %d %d %s %s", header.ModTime.UTC().Format("2006-01-02"), header.Uid, header.Gid, header.Uname, header.Gname))
			data, err := io.ReadAll(r)
			require.NoError(t, err)
			add(header.Name, data)
		}
	}
	require.True(t, slices.IsSorted(order))
	return all
}

// isStatic requires that a program is for its system and needs no libraries except those of every such system.
func isStatic(t *testing.T, target string, all map[string][]byte) {
	t.Helper()
	system, architecture, _ := strings.Cut(target, "/")
	switch system {
	case "linux":
		program, err := elf.NewFile(bytes.NewReader(all["starloom"]))
		require.NoError(t, err)
		require.Equal(t, map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[architecture], program.Machine)
		libraries, err := program.ImportedLibraries()
		require.NoError(t, err)
		require.Empty(t, libraries)
		for _, part := range program.Progs {
			require.NotEqual(t, elf.PT_INTERP, part.Type)
		}
	case "darwin":
		program, err := macho.NewFile(bytes.NewReader(all["starloom"]))
		require.NoError(t, err)
		require.Equal(t, map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[architecture], program.Cpu)
		libraries, err := program.ImportedLibraries()
		require.NoError(t, err)
		for _, library := range libraries {
			require.Regexp(t, regexp.MustCompile(`^/(usr/lib|System/Library)/`), library)
		}
	case "windows":
		program, err := pe.NewFile(bytes.NewReader(all["starloom.exe"]))
		require.NoError(t, err)
		require.Equal(t, map[string]uint16{"amd64": pe.IMAGE_FILE_MACHINE_AMD64, "arm64": pe.IMAGE_FILE_MACHINE_ARM64}[architecture], program.Machine)
		libraries, err := program.ImportedLibraries()
		require.NoError(t, err)
		require.Subset(t, []string{"kernel32.dll"}, libraries)
	}
}

func runs(t *testing.T, target string, data []byte) {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "starloom")
	var prefix []string
	switch target {
	case "linux/amd64":
	case "linux/arm64":
		prefix = []string{"qemu-aarch64"}
	default:
		return
	}
	require.NoError(t, os.WriteFile(program, data, 0o777))
	scenario, err := filepath.Abs(filepath.Join(top, "examples/pops-16x16.yaml"))
	require.NoError(t, err)
	line := append(prefix, program, "run", scenario)
	said, err := exec.Command(line[0], line[1:]...).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Contains(t, string(said), "\ndigest                     bc43c5c4fe0941429c2752d971e03822 ")
}

// TestArchivesAreFixed checks that equal content yields equal bytes that other tools read, and that unknown targets
// are refused.
func TestArchivesAreFixed(t *testing.T) {
	c := content{"top/b": {data: []byte("two")}, "top/a/b": {data: []byte("one"), executable: true}}
	for ending, write := range map[string]func(content, io.Writer) error{".tar.gz": content.writeTar, ".zip": content.writeZip} {
		var one, two bytes.Buffer
		require.NoError(t, write(c, &one))
		require.NoError(t, write(c, &two))
		require.Equal(t, one.Bytes(), two.Bytes())
		path := filepath.Join(t.TempDir(), "top")
		require.NoError(t, os.WriteFile(path+ending, one.Bytes(), 0o666))
		require.Equal(t, map[string][]byte{"b": []byte("two"), "a/b": []byte("one")}, unpacked(t, path))
	}
	_, _, err := pack(nil, t.TempDir(), t.TempDir(), "linux-amd64", nil)
	require.EqualError(t, err, "not a target: write system/architecture, such as linux/amd64")
}
