package traces

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"starloom/traces/input"
)

// File is an output that appears completely or not at all. Bytes are written to a temporary file in the same folder;
// Commit renames the temporary file to the path, Abort removes it. An existing file is unchanged until Commit. The
// temporary file of a killed process remains until the next Create of the path removes it. The path "-" is standard
// output. Standard output and writers (To) receive bytes at once, unless Hold was called.
//
// Every error contains the path and a remedy. A File keeps its first error.
type File struct {
	path    string   // path as given, for messages
	target  string   // target of the rename: path with symbolic links resolved
	temp    string   // temporary file; "" for standard output, writers, pipes and devices
	file    *os.File // nil for standard output and writers
	lock    *os.File // see lockTemporary; may be nil
	sink    io.Writer
	buf     *bufio.Writer
	bytes   uint64 // bytes written to buf
	hold    bool
	held    []byte
	err     error
	settled bool // committed or aborted

	conversion *conversion // converter of the bytes, nil for none
}

const (
	fileBufferBytes = 256 << 10
	heldBytesMax    = 64 << 20
	stdoutPath      = "-"
)

// To returns an output that writes to w, without ever closing it. Errors contain name.
func To(name string, w io.Writer) *File {
	return &File{path: name, sink: w, buf: bufio.NewWriterSize(w, fileBufferBytes)}
}

// Hold delays up to 64 MiB of a stream until Commit, so that Restart can drop these bytes. Beyond the limit, bytes
// are written at once.
func (f *File) Hold() { f.hold = f.temp == "" && f.bytes == 0 }

func (f *File) release() error {
	held := f.held
	f.hold, f.held = false, nil
	_, err := f.buf.Write(held)
	return f.keep(err)
}

var tempCount atomic.Uint64

var temporaries = struct {
	sync.Mutex
	paths      map[string]bool
	converters map[*exec.Cmd]bool
}{paths: map[string]bool{}, converters: map[*exec.Cmd]bool{}}

// RemoveTemporaries removes this process's temporary files before an immediate exit. All later calls of File methods
// block forever.
func RemoveTemporaries() {
	temporaries.Lock() // never unlocked
	for converter := range temporaries.converters {
		_ = converter.Process.Kill() // the converter may have ended
	}
	for path := range temporaries.paths {
		_ = os.Remove(path)
	}
}

// openTemporary creates and locks a new temporary file. A file without a lock belongs to a killed process.
func openTemporary(path string) (file, lock *os.File, err error) {
	temporaries.Lock()
	defer temporaries.Unlock()
	file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, nil, err
	}
	lock, ok := lockTemporary(file)
	if ok {
		// Before this process obtained the lock, another process may have removed the file as stale.
		at, errAt := os.Stat(path)
		own, errOwn := file.Stat()
		ok = errAt == nil && errOwn == nil && os.SameFile(at, own)
	}
	if !ok {
		_ = file.Close()
		closeLock(lock)
		return nil, nil, fs.ErrExist
	}
	temporaries.paths[path] = true
	return file, lock, nil
}

func closeLock(lock *os.File) {
	if lock != nil {
		_ = lock.Close() // nothing was written to the lock
	}
}

func removeStale(target string) {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return // Create reports the error of the folder
	}
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), "."+filepath.Base(target)+".")
		if ours && entry.Type().IsRegular() && temporaryEnd.MatchString(rest) {
			removeIfStale(filepath.Join(filepath.Dir(target), entry.Name()))
		}
	}
}

var temporaryEnd = regexp.MustCompile(`^[0-9]+-[0-9]+\.tmp$`)

func settleTemporary(path, target string) (err error) {
	temporaries.Lock()
	defer temporaries.Unlock()
	delete(temporaries.paths, path)
	if target != "" {
		if err = os.Rename(path, target); err == nil {
			return nil
		}
	}
	_ = os.Remove(path) // not wanted
	return err
}

// Create opens an output. If the folder is missing or not writable, Create returns an error without side effects. An
// existing pipe or device is written directly.
func Create(path string) (*File, error) {
	if path == "" {
		return nil, errors.New("output: the path is empty: give a file name, or - for standard output")
	}
	if path == stdoutPath {
		return To("standard output", os.Stdout), nil
	}
	mode := fs.FileMode(0)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("output %s: this is a folder: give a file name in it", path)
	case err == nil && !info.Mode().IsRegular():
		return openDevice(path)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("output %s: %w: make its folder readable, or give another path", path, input.WithoutPath(err))
	}
	target, err := followLinks(path)
	if err != nil {
		return nil, fmt.Errorf("output %s: %w: give another path", path, input.WithoutPath(err))
	}
	removeStale(target)
	f := &File{path: path, target: target}
	for f.file == nil {
		f.temp = filepath.Join(filepath.Dir(target),
			fmt.Sprintf(".%s.%d-%d.tmp", filepath.Base(target), os.Getpid(), tempCount.Add(1)))
		f.file, f.lock, err = openTemporary(f.temp)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("output %s: the folder %s: %w: %s", path, filepath.Dir(target),
				input.WithoutPath(err), folderAdvice(err))
		}
	}
	if mode != 0 {
		if err := f.file.Chmod(mode); err != nil {
			f.Abort()
			return nil, fmt.Errorf("output %s: %w: give another path", path, input.WithoutPath(err))
		}
	}
	f.sink, f.buf = f.file, bufio.NewWriterSize(f.file, fileBufferBytes)
	return f, nil
}

// MakeFolder creates a folder for outputs unless it exists. Its errors name a remedy.
func MakeFolder(path string) error {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return fmt.Errorf("the folder %s: %w: give a writable folder", path, input.WithoutPath(err))
	}
	return nil
}

func openDevice(path string) (*File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("output %s: %w: give another path", path, input.WithoutPath(err))
	}
	f := To(path, file)
	f.file = file
	return f, nil
}

// followLinks returns the final target of a path, existing or not. A write keeps the link and replaces its target.
func followLinks(path string) (string, error) {
	for range linksMax {
		folder, name := filepath.Split(path)
		folder, err := filepath.EvalSymlinks(cmp.Or(folder, "."))
		if err != nil {
			return path, nil // creating the file reports the error
		}
		path = filepath.Join(folder, name)
		next, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link
		}
		if !filepath.IsAbs(next) {
			next = folder + string(filepath.Separator) + next // not cleaned, because .. may follow a link
		}
		path = next
	}
	return "", fmt.Errorf("a chain of more than %d links", linksMax)
}

const linksMax = 40

func folderAdvice(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "make the folder first, or give another path"
	case errors.Is(err, fs.ErrPermission):
		return "allow writing in its folder, or give another path"
	}
	return "give another path"
}

// Path returns the given path, "standard output", or a writer's name.
func (f *File) Path() string { return f.path }

// Stream reports whether the output is standard output, a writer, a pipe or a device.
func (f *File) Stream() bool { return f.temp == "" }

func (f *File) Write(p []byte) (int, error) {
	if f.settled {
		return 0, fmt.Errorf("output %s: written after it was closed", f.path)
	}
	if f.hold {
		if len(f.held)+len(p) <= heldBytesMax {
			f.held = append(f.held, p...)
			f.bytes += uint64(len(p))
			return len(p), nil
		}
		if err := f.release(); err != nil {
			return 0, err
		}
	}
	n, err := f.buf.Write(p)
	f.bytes += uint64(n)
	return n, f.keep(err)
}

// Flush writes buffered bytes to standard output or a writer, unless they are held.
func (f *File) Flush() error {
	if f.temp != "" || f.hold || f.settled {
		return f.err
	}
	return f.keep(f.buf.Flush())
}

// Restart drops the written bytes. It returns an error if standard output or a writer has received bytes.
func (f *File) Restart() error {
	if f.settled || f.err != nil {
		return f.err
	}
	if f.hold {
		f.held, f.bytes = f.held[:0], 0
		return nil
	}
	if f.conversion != nil {
		f.buf.Reset(f.conversion)
		f.bytes = 0
		f.conversion.drop()
		return f.keep(f.conversion.start())
	}
	if written := f.bytes > uint64(f.buf.Buffered()); written {
		if f.temp == "" {
			return fmt.Errorf("%s cannot be written again", f.path)
		}
		if _, err := f.file.Seek(0, io.SeekStart); err != nil {
			return f.keep(err)
		}
		if err := f.file.Truncate(0); err != nil {
			return f.keep(err)
		}
	}
	f.buf.Reset(f.sink)
	f.bytes = 0
	return nil
}

// Commit publishes the output. After an error the temporary file is removed and an existing file is unchanged.
func (f *File) Commit() error {
	if f.settled {
		return f.err
	}
	if err := f.finish(); err != nil {
		f.Abort()
		return err
	}
	return f.rename()
}

// Abort drops the output, and an existing file is unchanged. After Commit, Abort does nothing.
func (f *File) Abort() {
	if f.settled {
		return
	}
	f.settled = true
	if f.temp == "" {
		if f.file != nil {
			_ = f.file.Close() // written bytes stay
		}
		return
	}
	if f.conversion != nil {
		f.conversion.drop()
	}
	// Errors are harmless: the file is unwanted, and a finished file is already closed.
	_ = f.file.Close()
	_ = settleTemporary(f.temp, "")
	closeLock(f.lock)
}

// finish syncs all bytes to disk, so that a renamed file is complete even after a crash.
func (f *File) finish() error {
	if f.hold {
		if err := f.release(); err != nil {
			return err
		}
	}
	if err := f.keep(f.buf.Flush()); err != nil {
		return err
	}
	if f.temp == "" {
		if f.file == nil {
			return nil
		}
		return f.keep(f.file.Close())
	}
	if f.conversion != nil {
		if err := f.keep(f.conversion.finish(f.file)); err != nil {
			return err
		}
		f.conversion.drop()
	}
	if err := f.keep(f.file.Sync()); err != nil {
		return err
	}
	return f.keep(f.file.Close())
}

func (f *File) rename() error {
	f.settled = true
	if f.temp == "" {
		return nil
	}
	err := settleTemporary(f.temp, f.target)
	closeLock(f.lock)
	if err != nil {
		f.err = fmt.Errorf("output %s: %w: give another path", f.path, input.WithoutPath(err))
	}
	return f.err
}

// RemedyFull is the remedy for an incompletely written file.
const RemedyFull = "free some disk space, or give another path"

// keep wraps and stores the first error. Later calls return it.
func (f *File) keep(err error) error {
	var tool *input.ToolError
	switch {
	case f.err != nil || err == nil:
	case errors.As(err, &tool):
		tool.Place = "output " + f.path
		f.err = err
	case f.temp == "" && f.sink != os.Stdout && !errors.Is(err, syscall.ENOSPC):
		f.err = fmt.Errorf("output %s: %w", f.path, input.WithoutPath(err))
	default:
		f.err = fmt.Errorf("output %s: %w: "+RemedyFull, f.path, input.WithoutPath(err))
	}
	return f.err
}

// Files are the outputs of one run. They appear together.
type Files struct {
	files []*File
}

// Create opens another output. It rejects the path of an earlier output.
func (s *Files) Create(path string) (*File, error) {
	f, err := Create(path)
	if err != nil {
		return nil, err
	}
	return s.add(f)
}

// To adds an output on a writer; see the function To. It rejects a second output on one writer.
func (s *Files) To(name string, w io.Writer) (*File, error) { return s.add(To(name, w)) }

func (s *Files) add(f *File) (*File, error) {
	for _, other := range s.files {
		if f.temp == "" && other.temp == "" && sameWriter(f.sink, other.sink) || f.temp != "" && other.temp != "" &&
			sameFile(f.target, other.target) {
			f.Abort()
			if f.temp == "" && f.sink != os.Stdout {
				return nil, fmt.Errorf("output %s: output %s has the same writer: give each its own", f.path, other.path)
			}
			return nil, fmt.Errorf("output %s: two outputs have this path: give each its own", f.path)
		}
	}
	s.files = append(s.files, f)
	return f, nil
}

// sameWriter compares only pointers, because other writers, such as io.Discard, may be shared.
func sameWriter(a, b io.Writer) bool {
	return reflect.TypeOf(a).Kind() == reflect.Pointer && a == b
}

func sameFile(a, b string) bool {
	folderA, errA := os.Stat(filepath.Dir(a))
	folderB, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && filepath.Base(a) == filepath.Base(b) && os.SameFile(folderA, folderB)
}

// Commit publishes all outputs. It syncs all outputs to disk before the first rename, so that no output appears if
// any of them fails. It returns the first error.
func (s *Files) Commit() error {
	for _, f := range s.files {
		if f.settled {
			continue
		}
		if err := f.finish(); err != nil {
			s.Abort()
			return err
		}
	}
	var first error
	for _, f := range s.files {
		if f.settled {
			continue
		}
		if err := f.rename(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Abort drops all uncommitted outputs.
func (s *Files) Abort() {
	for _, f := range s.files {
		f.Abort()
	}
}

// Temporary is a private file of this process, removed by Remove or RemoveTemporaries.
type Temporary struct{ file *os.File }

// NewTemporary creates a temporary file; see os.CreateTemp for the pattern.
func NewTemporary(pattern string) (*Temporary, error) {
	temporaries.Lock()
	defer temporaries.Unlock()
	file, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, err
	}
	temporaries.paths[file.Name()] = true
	return &Temporary{file}, nil
}

func (t *Temporary) Path() string { return t.file.Name() }

func (t *Temporary) Write(p []byte) (int, error) { return t.file.Write(p) }

// Remove removes the file.
func (t *Temporary) Remove() {
	_ = t.file.Close() // not wanted
	_ = settleTemporary(t.file.Name(), "")
}

// Common limits of reports.
const (
	// NamesKept is the maximum number of names kept in a NameList.
	NamesKept = 20
	// NamesShown is the maximum number of names shown in a text.
	NamesShown = 5
)

// NameList is a truncated list together with its full length.
type NameList struct {
	Count int      `json:"count"`
	Names []string `json:"names,omitempty"`
}

// NewNameList counts names and keeps the first NamesKept.
func NewNameList(names []string) NameList {
	return NameList{Count: len(names), Names: names[:min(len(names), NamesKept)]}
}

// Some returns the first NamesShown names, for a text.
func (l NameList) Some() string {
	text := strings.Join(l.Names[:min(len(l.Names), NamesShown)], ", ")
	if l.Count > NamesShown {
		text += ", ..."
	}
	return text
}

// WriteJSON writes a report as indented JSON. It does not escape HTML.
func WriteJSON(w io.Writer, value any) error {
	return input.WriteJSON(w, value)
}

// Plural formats a count with its noun: 1 signal, 2 signals.
func Plural[N int | uint32 | uint64](count N, one, many string) string {
	if count == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", count, many)
}
