package verilator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/cosim"
)

// An elaboration records the inputs of a build. While these inputs are unchanged, the next build of the same design
// takes its result from the cache without running Verilator:
//
//	key --> elaboration --files, folders, data unchanged--> result
//
// The key covers the request, the tools and the parts of the result that this program generates.
type elaboration struct {
	Result  string            `json:"result"`
	Files   map[string]string `json:"files"`   // hashes of the files read, including included ones
	Folders map[string]string `json:"folders"` // hashes of the names in searched folders
	Data    map[string]string `json:"data"`    // $readmem files, each with the source that reads it
	Texts   map[string]string `json:"texts"`
	Said    []byte            `json:"said"`
}

const elaborationFormat = 8

func (b *builder) elaborationName() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	plain := *b
	plain.design = &design{}
	sum := sha256.New()
	say := func(parts ...string) { fmt.Fprintf(sum, "%d %q\n", len(parts), parts) }
	say(fmt.Sprint(elaborationFormat, descriptionFormat), folder, b.Top, b.DataDir)
	say(b.AllFiles()...)
	say(fmt.Sprint(b.Languages, b.Libraries, b.GHDLFlags))
	say(b.IncludeDirs...)
	say(b.Clocks...)
	say(fmt.Sprint(b.Params, b.types, b.Defines, b.tools))
	say(b.translationFlags()...)
	say(b.compileFlags()...)
	say(b.target.link...)
	say(b.target.ending)
	say(b.libraries.hash, plain.portsHeader(nil, ""))
	err = eachGlueFile(func(name string, text []byte) error { say(name, string(text)); return nil })
	return "elaborated-" + hex.EncodeToString(sum.Sum(nil))[:32] + ".json", err
}

func (b *builder) elaborated(name string) string {
	text, err := os.ReadFile(filepath.Join(b.cache.Dir, name))
	if err != nil {
		return ""
	}
	var e elaboration
	if json.Unmarshal(text, &e) != nil || e.Result == "" || e.Result != filepath.Base(e.Result) {
		return ""
	}
	path := filepath.Join(b.cache.Dir, e.Result)
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return ""
	}
	for file, hash := range e.Files {
		if hashOf(file) != hash {
			return ""
		}
	}
	for folder, hash := range e.Folders {
		if namesHash(folder) != hash {
			return ""
		}
	}
	for name, reader := range e.Data {
		if file, err := b.FindData(name, reader); err != nil || hashOf(file) != e.Texts[name] {
			return ""
		}
	}
	if b.options.Warnings != nil {
		if _, err := b.options.Warnings.Write(e.Said); err != nil {
			return ""
		}
	}
	return path
}

// keepElaboration stores the inputs of a build with its result. A failure only slows down the next build.
func (b *builder) keepElaboration(name, result string) error {
	e := elaboration{
		Result: filepath.Base(result), Files: map[string]string{}, Folders: map[string]string{},
		Data: b.design.data, Texts: map[string]string{}, Said: b.said,
	}
	files := b.AllFiles()
	if !b.VHDL() { // GHDL's Verilog is temporary
		files = append(files, b.design.files...)
	}
	for _, file := range files {
		e.Files[file] = hashOf(file)
	}
	for _, folder := range b.searched(files) {
		e.Folders[folder] = namesHash(folder)
	}
	for name, reader := range b.design.data {
		file, err := b.FindData(name, reader)
		if err != nil {
			return err
		}
		e.Texts[name] = hashOf(file)
	}
	if slices.Contains(slices.Collect(maps.Values(e.Files)), "") { // a file changed during the build
		return nil
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	fresh, err := os.CreateTemp(b.cache.Dir, ".elaborated-")
	if err != nil {
		return &cosim.InputError{
			Place:  b.cache.Dir,
			Reason: fmt.Sprintf("cannot hold build results: %v", cosim.Reason(err)),
			Remedy: b.cache.Remedy,
			Cause:  err,
		}
	}
	_, err = fresh.Write(text)
	if err = errors.Join(err, fresh.Close()); err == nil {
		err = os.Rename(fresh.Name(), filepath.Join(b.cache.Dir, name))
	}
	if err != nil {
		err = errors.Join(err, os.Remove(fresh.Name()))
	}
	return err
}

// searched lists the folders in which a new file could take precedence over a file that was read: the search roots,
// and below each root the subfolders of the files read.
func (b *builder) searched(files []string) (folders []string) {
	roots := append([]string{"."}, b.IncludeDirs...)
	for _, file := range b.Files {
		roots = append(roots, filepath.Dir(file))
	}
	below := []string{"."}
	for _, file := range files {
		for _, root := range roots {
			if part, err := filepath.Rel(root, filepath.Dir(file)); err == nil && !strings.HasPrefix(part, "..") {
				below = append(below, part)
			}
		}
	}
	for _, root := range roots {
		for _, part := range below {
			folders = append(folders, filepath.Join(root, part))
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

func hashOf(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// namesHash returns "absent" for a missing folder.
func namesHash(folder string) string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "absent"
	}
	sum := sha256.New()
	for _, entry := range entries {
		fmt.Fprintf(sum, "%q\n", entry.Name())
	}
	return hex.EncodeToString(sum.Sum(nil))
}
