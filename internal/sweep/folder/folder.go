package folder

import (
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/meaning"
)

// Folder holds the results of sweeps.
type Folder struct {
	Path string
	Step func(what string) // is told of each change, before it is made or after: for tests

	host  string
	token string // of this process and call
}

const (
	endingRecords = ".jsonl"
	endingMark    = ".started"
)

// Open makes the folder, if it is not there, and makes sure that it can be written.
func Open(path string) (*Folder, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	f := &Folder{Path: path, host: strings.ReplaceAll(host, ".", "_"), token: rand.Text()}
	refuse := func(err error) (*Folder, error) {
		return nil, &input.Error{Place: "--out", Reason: fmt.Sprintf("%s: %v", path, input.WithoutPath(err)), Remedy: "give a folder that can be written", Cause: err}
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

// Keep keeps runs of a point. Those with other figures get a file of their own.
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
		err := f.whole(filepath.Join(f.of(key), rand.Text()+endingRecords), func(w io.Writer) error { return writeRecords(w, part) })
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

// Runs returns the runs of a point that are there, by seed and permutation, without their reports. Files that are not whole, which a
// lost connection or a full disk may leave, count as not there.
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
		if h, err := readHead(path); err == nil { // else it is not whole
			heads = append(heads, h)
		}
	}
	slices.SortFunc(heads, func(a, b head) int { return slices.Compare(a.Figures, b.Figures) })
	return heads, err
}

// union adds the names that are new, each after the one that it follows.
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

// Join takes over the runs that other folders have. What both have is there once more, and counts once.
func (f *Folder) Join(from string) (points, files int, err error) {
	entries, err := os.ReadDir(filepath.Join(from, "points"))
	if err != nil {
		return 0, 0, &input.Error{Place: from, Reason: fmt.Sprintf("this is not a folder of a sweep: %v", input.WithoutPath(err)),
			Remedy: "give folders that 'starloom sweep --out' has made"}
	}
	other := &Folder{Path: from, host: f.host}
	for _, entry := range entries {
		paths, err := other.files(entry.Name(), endingRecords)
		if err != nil || len(paths) == 0 {
			continue // not a point, or one without results
		}
		points++
		for _, path := range paths {
			target := filepath.Join(f.of(entry.Name()), filepath.Base(path))
			if _, err := os.Stat(target); err == nil {
				continue
			}
			if _, err := readRecords(path, false); err != nil {
				continue // it is not whole
			}
			files++
			if err := errors.Join(traces.MakeFolder(f.of(entry.Name())), f.copy(path, target)); err != nil {
				return points, files, err
			}
		}
	}
	return points, files, nil
}

// copy copies a file, whole or not at all.
func (f *Folder) copy(from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close() // it was only read
	return f.whole(to, func(w io.Writer) error {
		_, err := io.Copy(w, file)
		return err
	})
}

//go:embed metrics.yaml
var metrics string

// Meanings says what the columns of a sweep's tables mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
