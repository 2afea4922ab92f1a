// Package folder stores the results of a sweep. Finished runs remain even if the process is killed, and tables are
// derived from stored runs.
//
//	DIR/points/KEY/NAME.jsonl      some runs of a point: head, a line for each run, their hash
//	DIR/points/KEY/NAME.started    a process is running the point, or has ended while running it
//	DIR                            tables: of points, of runs, of reports
//
// A file is written under a temporary name, synced and renamed. Files are never changed or locked, so any number of
// processes may write to one folder, even on NFS. A run stored by two processes counts once. KEY is the hash of
// everything that determines a point's results.
package folder

import (
	"bufio"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/meaning"
)

// Folder holds the results of sweeps.
type Folder struct {
	Path string
	Step func(what string) // tests: called before or after each change

	host  string
	token string
}

const (
	endingRecords = ".jsonl"
	endingMark    = ".started"
)

// Open creates the folder if it is missing, and checks that it is writable.
func Open(path string) (*Folder, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	f := &Folder{Path: path, host: strings.ReplaceAll(host, ".", "_"), token: rand.Text()}
	refuse := func(err error) (*Folder, error) {
		return nil,
			&input.Error{Place: "--out", Reason: fmt.Sprintf("%s: %v", path, input.WithoutPath(err)),
				Remedy: "give a folder that can be written", Cause: err}
	}
	if err := os.MkdirAll(f.points(), 0o777); err != nil {
		return refuse(err)
	}
	probe := filepath.Join(path, "."+f.token+".probe")
	if err := os.WriteFile(probe, nil, 0o666); err != nil {
		return refuse(err)
	}
	if err := os.Remove(probe); err != nil {
		return refuse(err)
	}
	if entries, err := os.ReadDir(path); err == nil {
		f.removeStale(path, entries)
	}
	return f, nil
}

func (f *Folder) points() string { return filepath.Join(f.Path, "points") }

func (f *Folder) of(key string) string { return filepath.Join(f.points(), key) }

// Keep stores runs of a point. Runs with different figures get separate files.
func (f *Folder) Keep(key string, records []Record) error {
	for len(records) > 0 {
		n := slices.IndexFunc(records, func(r Record) bool { return !slices.Equal(r.Figures, records[0].Figures) })
		if n < 0 {
			n = len(records)
		}
		if err := os.MkdirAll(f.of(key), 0o777); err != nil {
			return err
		}
		part := records[:n]
		err := f.whole(filepath.Join(f.of(key), rand.Text()+endingRecords),
			func(w io.Writer) error { return writeRecords(w, part) })
		if err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

func (f *Folder) files(key, ending string) (paths []string, err error) {
	entries, err := os.ReadDir(f.of(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ending) && !strings.HasPrefix(entry.Name(), ".") {
			paths = append(paths, filepath.Join(f.of(key), entry.Name()))
		}
	}
	f.removeStale(f.of(key), entries)
	return paths, err
}

// Runs returns the stored runs of a point without their reports, sorted by seed and permutation. It ignores
// incomplete files, which result from a lost connection or a full disk.
func (f *Folder) Runs(key string) ([]Record, error) { return f.runs(key, false) }

func (f *Folder) runs(key string, reports bool) ([]Record, error) {
	paths, err := f.files(key, endingRecords)
	if err != nil {
		return nil, err
	}
	var all []Record
	for _, path := range paths {
		if records, err := readRecords(path, reports); err == nil {
			all = append(all, records...)
		}
	}
	slices.SortStableFunc(all, func(a, b Record) int { return a.before(&b) })
	return slices.CompactFunc(all, func(a, b Record) bool { return a.before(&b) == 0 }), nil
}

func (f *Folder) bytes(key string) (sum int64) {
	paths, err := f.files(key, endingRecords)
	for _, path := range paths {
		if info, errInfo := os.Stat(path); err == nil && errInfo == nil {
			sum += info.Size()
		}
	}
	return sum
}

func (f *Folder) heads(key string) (heads []head, err error) {
	paths, err := f.files(key, endingRecords)
	for _, path := range paths {
		if h, err := readHead(path); err == nil { // ignores an incomplete file
			heads = append(heads, h)
		}
	}
	slices.SortFunc(heads, func(a, b head) int { return slices.Compare(a.Figures, b.Figures) })
	return heads, err
}

func union(known, names []string) []string {
	at := 0
	for _, name := range names {
		if k := slices.Index(known, name); k >= 0 {
			at = k + 1
			continue
		}
		known = slices.Insert(known, at, name)
		at++
	}
	return known
}

// Join copies the runs of another folder. Runs in both folders count once.
func (f *Folder) Join(from string) (points, files int, err error) {
	entries, err := os.ReadDir(filepath.Join(from, "points"))
	if err != nil {
		return 0, 0, input.Mistake(from, fmt.Sprintf("this is not a folder of a sweep: %v", input.WithoutPath(err)),
			"give folders written by 'starloom sweep --out'")
	}
	other := &Folder{Path: from, host: f.host}
	for _, entry := range entries {
		paths, err := other.files(entry.Name(), endingRecords)
		if err != nil || len(paths) == 0 {
			continue // the folder belongs to no point, or has no results
		}
		points++
		for _, path := range paths {
			target := filepath.Join(f.of(entry.Name()), filepath.Base(path))
			if _, err := os.Stat(target); err == nil {
				continue
			}
			if _, err := readRecords(path, false); err != nil {
				continue // incomplete
			}
			files++
			if err := errors.Join(traces.MakeFolder(f.of(entry.Name())), f.copy(path, target)); err != nil {
				return points, files, err
			}
		}
	}
	return points, files, nil
}

func (f *Folder) copy(from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	return f.whole(to, func(w io.Writer) error {
		_, err := io.Copy(w, file)
		return err
	})
}

//go:embed metrics.yaml
var metrics string

// Meanings returns the meanings of the columns in a sweep's tables.
func Meanings() []meaning.Group { return meaning.Must(metrics) }

func (f *Folder) whole(path string, write func(io.Writer) error) (err error) {
	folder, name := filepath.Split(path)
	temp := filepath.Join(folder, fmt.Sprintf(".%s.%s.%d.%s.tmp", name, f.host, os.Getpid(), rand.Text()))
	defer func() {
		if err != nil {
			_ = os.Remove(temp)
			err = fmt.Errorf("%s: %w", path, input.WithoutPath(err))
		}
	}()
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	f.step("create " + name)
	out := bufio.NewWriterSize(file, 1<<18)
	err = errors.Join(write(out), out.Flush())
	f.step("write " + name)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	f.step("rename " + name)
	if err = os.Rename(temp, path); err == nil {
		f.step("done " + name)
	}
	return err
}

func (f *Folder) step(what string) {
	if f.Step != nil {
		f.Step(what)
	}
}

var temporary = regexp.MustCompile(`^\..+\.([^.]*)\.([0-9]+)\.[A-Z2-7]+\.tmp$`)

// staleAfter exceeds the time to write a file. It protects files of another host with the same name.
const staleAfter = 10 * time.Minute

// removeStale removes the incomplete files of killed processes of this host.
func (f *Folder) removeStale(folder string, entries []fs.DirEntry) {
	for _, entry := range entries {
		parts := temporary.FindStringSubmatch(entry.Name())
		if parts == nil || parts[1] != f.host {
			continue
		}
		pid, err := strconv.Atoi(parts[2])
		if err != nil {
			continue
		}
		process, err := os.FindProcess(pid)
		if err == nil {
			err = process.Signal(syscall.Signal(0))
		}
		info, errInfo := entry.Info()
		if errors.Is(err, os.ErrProcessDone) && errInfo == nil && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// Begin marks a point as being run by this process. The mark remains if the process ends before it calls End.
func (f *Folder) Begin(key string) error {
	if err := os.MkdirAll(f.of(key), 0o777); err != nil {
		return err
	}
	return os.WriteFile(f.mark(key), []byte(f.host+"\n"), 0o666)
}

func (f *Folder) mark(key string) string { return filepath.Join(f.of(key), f.token+endingMark) }

// End removes the mark of this process. With all, it removes all marks of a finished point.
func (f *Folder) End(key string, all bool) error {
	paths := []string{f.mark(key)}
	if all {
		var err error
		if paths, err = f.files(key, endingMark); err != nil {
			return err
		}
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Begun returns the number of other processes that have begun a point and not finished it. Such a process is still
// running the point, or was killed while running it.
func (f *Folder) Begun(key string) (int, error) {
	paths, err := f.files(key, endingMark)
	others := 0
	for _, path := range paths {
		if !strings.HasPrefix(filepath.Base(path), f.token) {
			others++
		}
	}
	return others, err
}
