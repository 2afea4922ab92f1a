package cosim

import (
	"fmt"
	"os"
	"path/filepath"
)

// A Cache is a directory of build results. A name says what went into the file, so
// a file never changes, and two processes may make the same one: the second
// replaces it with the same content.
type Cache struct{ Dir, Remedy string }

// RemedyUserCache is for the user's own cache, which every command uses and only
// `cosim build` has an option for.
const RemedyUserCache = "set XDG_CACHE_HOME to a directory that can be written"

// UserCache is where the user's own files are kept that can be made again. Without a home it is a temporary folder of the user.
func UserCache() (dir string, temporary bool) {
	if dir, err := os.UserCacheDir(); err == nil {
		return dir, false
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("starloom-%d", os.Getuid())), true
}

// OpenCache makes the directory; "" is the user's own.
func OpenCache(dir string) (Cache, error) {
	remedy := "name another directory with --cache"
	if dir == "" {
		user, temporary := UserCache()
		if temporary && os.Mkdir(user, 0o700) != nil {
			if folder, err := os.Lstat(user); err != nil || !isOwn(folder) { // somebody else may have put results there
				return Cache{}, &InputError{Place: user, Reason: "cannot hold build results: it is not a folder of this user alone", Remedy: RemedyUserCache}
			}
		}
		dir, remedy = filepath.Join(user, "starloom", "cosim"), RemedyUserCache
	}
	dir, err := filepath.Abs(dir) // tools run in other directories
	if err != nil {
		return Cache{}, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Cache{}, &InputError{Place: dir, Reason: fmt.Sprintf("cannot hold build results: %v", Reason(err)), Remedy: remedy}
	}
	return Cache{dir, remedy}, nil
}

// Take returns the path of a file, made by make at the given path if absent. No process sees a half-written one.
func (c Cache) Take(name string, make func(path string) error) (string, error) {
	path := filepath.Join(c.Dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return path, nil
	}
	work, err := os.MkdirTemp(c.Dir, ".build-")
	if err != nil {
		return "", &InputError{Place: c.Dir, Reason: fmt.Sprintf("cannot hold build results: %v", Reason(err)), Remedy: c.Remedy}
	}
	defer os.RemoveAll(work)
	fresh := filepath.Join(work, name)
	if err := make(fresh); err != nil {
		return "", err
	}
	return path, os.Rename(fresh, path)
}
