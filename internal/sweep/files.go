package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"starloom/cosim/pinmap"
	internalmaps "starloom/internal/maps"
	"starloom/traces/input"
)

type files struct {
	lock   sync.Mutex
	hashes map[string]string
}

func (f *files) hash(path string) (string, error) {
	return f.once(path, func() (string, error) {
		file, err := input.Open(path)
		if err != nil {
			return "", fmt.Errorf("%s cannot be read: %w", path, input.WithoutPath(err))
		}
		defer file.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, file); err != nil {
			return "", fmt.Errorf("%s cannot be read: %w", path, input.WithoutPath(err))
		}
		return hex.EncodeToString(sum.Sum(nil)), nil
	})
}

func (f *files) once(key string, find func() (string, error)) (string, error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	if hash, ok := f.hashes[key]; ok {
		return hash, nil
	}
	hash, err := find()
	if err == nil {
		if f.hashes == nil {
			f.hashes = map[string]string{}
		}
		f.hashes[key] = hash
	}
	return hash, err
}

func (f *files) hashMap(path string, library pinmap.Library) (string, error) {
	m, err := internalmaps.LoadPin(path, library)
	if err != nil {
		return "", err
	}
	defer m.Close()
	sum := sha256.New()
	for _, file := range sourcesOf(m) {
		hash, err := f.hash(file)
		if err != nil {
			return "", input.Mistake(path, err.Error(), "correct the paths in the map")
		}
		fmt.Fprintf(sum, "%s %s\n", filepath.Base(file), hash)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// named matches quoted text in Verilog or VHDL that may be a file name.
var named = regexp.MustCompile(`"([^"\n]+)"`)

// sourcesOf lists the files of a map's RTL: files in the map, files in include folders, and existing files with a
// quoted name in a source.
func sourcesOf(m *pinmap.Map) []string {
	found := map[string]bool{}
	waiting := slices.Clone(m.Source.Files)
	if m.Image != "" {
		waiting = append(waiting, m.Image)
	}
	for _, folder := range m.Source.IncludeDirs {
		entries, err := os.ReadDir(folder)
		for _, entry := range entries {
			if err == nil && entry.Type().IsRegular() {
				waiting = append(waiting, filepath.Join(folder, entry.Name()))
			}
		}
	}
	for len(waiting) > 0 {
		path := waiting[0]
		waiting = waiting[1:]
		if found[path] {
			continue
		}
		found[path] = true
		data, err := input.Read(path, sourceBytesMax)
		if err != nil || filepath.Ext(path) == ".wasm" {
			continue // the file is too long to be a source
		}
		for _, name := range named.FindAllSubmatch(data, -1) {
			for _, folder := range append([]string{filepath.Dir(path), m.Source.DataDir, filepath.Dir(m.File)},
				m.Source.IncludeDirs...) {
				other := filepath.Join(folder, string(name[1]))
				if info, err := os.Stat(other); err == nil && info.Mode().IsRegular() {
					waiting = append(waiting, other)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

const sourceBytesMax = 4 << 20

// ExecutableHash returns the hash of the running program.
func ExecutableHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return new(files).hash(path)
}
