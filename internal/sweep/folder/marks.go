package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

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
