// Command dist builds release archives: for each system the static program with its manual pages, shell completions,
// licence and README, and the checksums of all archives.
//
//	go build (linux, darwin, windows; amd64, arm64) --+
//	starloom help --man, starloom completion ---------+--> starloom-SYSTEM-ARCHITECTURE.tar.gz, .zip
//	LICENSE, README.md -------------------------------+--> SHA256SUMS
//
// Equal sources and an equal version of Go yield equal bytes in any folder, at any time, on any machine: paths are
// trimmed, and times, owners and order in archives are fixed. `make dist` runs dist.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"starloom/traces"
)

var allTargets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64",
	"windows/amd64", "windows/arm64"}

var shells = map[string]string{"bash": "starloom.bash", "zsh": "_starloom", "fish": "starloom.fish",
	"powershell": "starloom.ps1"}

func main() {
	folder := flag.String("o", "dist", "folder for the archives")
	flag.Parse()
	chosen := flag.Args()
	if len(chosen) == 0 {
		chosen = allTargets
	}
	if err := run(*folder, chosen); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// run builds the archives of some targets from the working folder. They appear together.
func run(folder string, chosen []string) error {
	work, err := os.MkdirTemp("", "starloom-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	common, err := documents(work)
	if err != nil {
		return err
	}
	if err := traces.MakeFolder(folder); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	var sums strings.Builder
	for _, target := range chosen {
		name, sum, err := pack(&files, folder, work, target, common)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum, name)
	}
	list, err := files.Create(filepath.Join(folder, "SHA256SUMS"))
	if err != nil {
		return err
	}
	if _, err := io.WriteString(list, sums.String()); err != nil {
		return err
	}
	if err := files.Commit(); err != nil {
		return err
	}
	fmt.Print(sums.String())
	return nil
}

func pack(files *traces.Files, folder, work, target string, common content) (name string, sum []byte, err error) {
	system, architecture, ok := strings.Cut(target, "/")
	if !ok {
		return "", nil, fmt.Errorf("not a target: write system/architecture, such as linux/amd64")
	}
	top := "starloom-" + system + "-" + architecture
	program, name, write := "starloom", top+".tar.gz", content.writeTar
	if system == "windows" {
		program, name, write = "starloom.exe", top+".zip", content.writeZip
	}
	built := filepath.Join(work, top)
	if err := build(built, "GOOS="+system, "GOARCH="+architecture); err != nil {
		return "", nil, err
	}
	data, err := os.ReadFile(built)
	if err != nil {
		return "", nil, err
	}
	all := content{top + "/" + program: {data, true}}
	for path, f := range common {
		all[top+"/"+path] = f
	}
	out, err := files.Create(filepath.Join(folder, name))
	if err != nil {
		return "", nil, err
	}
	hash := sha256.New()
	err = write(all, io.MultiWriter(out, hash))
	return name, hash.Sum(nil), err
}

// build builds a static command without system libraries and without debug information.
func build(path string, environment ...string) error {
	command := exec.Command("go", "build", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags=-s -w",
		"-o", path, "./cmd/starloom")
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0"), environment...)
	said, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w: %s", err, said)
	}
	return nil
}

func documents(work string) (content, error) {
	here, manual := filepath.Join(work, "starloom"), filepath.Join(work, "man1")
	if err := build(here); err != nil {
		return nil, err
	}
	all := content{}
	for _, name := range []string{"LICENSE", "README.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all[name] = file{data: data}
	}
	if said, err := exec.Command(here, "help", "--man", manual).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("starloom help --man: %w: %s", err, said)
	}
	pages, err := os.ReadDir(manual)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(filepath.Join(manual, page.Name()))
		if err != nil {
			return nil, err
		}
		all["man/man1/"+page.Name()] = file{data: data}
	}
	for shell, name := range shells {
		data, err := exec.Command(here, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("starloom completion %s: %w", shell, err)
		}
		all["completion/"+name] = file{data: data}
	}
	return all, nil
}

type content map[string]file

type file struct {
	data       []byte
	executable bool
}

func (f file) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// released is the time of all archive entries: the earliest time in the zip format.
var released = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// paths are sorted, so that archives are reproducible.
func (c content) paths() []string {
	var paths []string
	for path := range c {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, strings.Compare)
	return paths
}

func (c content) writeTar(w io.Writer) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(compressed)
	for _, path := range c.paths() {
		f := c[path]
		header := tar.Header{Name: path, Mode: f.mode(), Size: int64(len(f.data)), ModTime: released, Format: tar.FormatUSTAR}
		if err := out.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func (c content) writeZip(w io.Writer) error {
	out := zip.NewWriter(w)
	for _, path := range c.paths() {
		f := c[path]
		entry, err := out.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Deflate, Modified: released})
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return out.Close()
}
