package folder

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"starloom/traces/input"
)

// whole writes a file: to another name, to the disk, and then under its own.
func (f *Folder) whole(path string, write func(io.Writer) error) (err error) {
	folder, name := filepath.Split(path)
	temp := filepath.Join(folder, fmt.Sprintf(".%s.%s.%d.%s.tmp", name, f.host, os.Getpid(), rand.Text()))
	defer func() {
		if err != nil {
			_ = os.Remove(temp) // it is not wanted
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

// temporary is the name of a file that is not whole: of which host, and which process.
var temporary = regexp.MustCompile(`^\..+\.([^.]*)\.([0-9]+)\.[A-Z2-7]+\.tmp$`)

// staleAfter is longer than a file takes to become whole: names of hosts may not be as unique as they should be.
const staleAfter = 10 * time.Minute

// removeStale removes the files that killed processes of this host have left unfinished.
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
			_ = os.Remove(filepath.Join(folder, entry.Name())) // if it stays, it is in no one's way
		}
	}
}

// Begin marks that this process runs a point. Should it end before End, the mark stays.
func (f *Folder) Begin(key string) error {
	if err := os.MkdirAll(f.of(key), 0o777); err != nil {
		return err
	}
	return os.WriteFile(f.mark(key), []byte(f.host+"\n"), 0o666)
}

func (f *Folder) mark(key string) string { return filepath.Join(f.of(key), f.token+endingMark) }

// End removes the mark; with all, those of others, too: the point is finished.
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

// Begun is how many other processes have begun a point and not ended it: they run it now, or it has ended them.
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
