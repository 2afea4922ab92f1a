package cosim

import (
	"fmt"
	"os"
	"path/filepath"
)

// A Cache is a directory of build results. The name of a file is derived from the inputs of the build, so files never
// change. If two processes build the same file, the second process replaces it by a file with equal content.
type Cache struct{ Dir, Remedy string }

// RemedyUserCache is the remedy for errors of the user's cache. Only `cosim build` has an option for another cache.
const RemedyUserCache = "set XDG_CACHE_HOME to a writable directory"

// UserCache returns the user's directory for files that Starloom can rebuild. Without a home directory, it returns a
// temporary directory.
func UserCache() (dir string, temporary bool) {
	if dir, err := os.UserCacheDir(); err == nil {
		return dir, false
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("starloom-%d", os.Getuid())), true
}

// OpenCache creates the directory; "" is the user's cache.
func OpenCache(dir string) (Cache, error) {
	remedy := "name another directory with --cache"
	if dir == "" {
		user, temporary := UserCache()
		if temporary && os.Mkdir(user, 0o700) != nil {
			if folder, err := os.Lstat(user); err != nil || !isOwn(folder) { // another user may have stored results there
				return Cache{}, &InputError{Place: user,
					Reason: "cannot hold build results: other users have access to this folder", Remedy: RemedyUserCache}
			}
		}
		dir, remedy = filepath.Join(user, "starloom", "cosim"), RemedyUserCache
	}
	dir, err := filepath.Abs(dir) // an absolute path, because tools run in other folders
	if err != nil {
		return Cache{}, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Cache{}, &InputError{Place: dir,
			Reason: fmt.Sprintf("cannot hold build results: %v", Reason(err)), Remedy: remedy}
	}
	return Cache{dir, remedy}, nil
}

// Take returns the path of a file. If the file is missing, make creates it at the path passed to make. No process
// sees a partial file.
func (c Cache) Take(name string, make func(path string) error) (string, error) {
	path := filepath.Join(c.Dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return path, nil
	}
	work, err := os.MkdirTemp(c.Dir, ".build-")
	if err != nil {
		return "", &InputError{Place: c.Dir, Reason: fmt.Sprintf("cannot hold build results: %v",
			Reason(err)), Remedy: c.Remedy}
	}
	defer os.RemoveAll(work)
	fresh := filepath.Join(work, name)
	if err := make(fresh); err != nil {
		return "", err
	}
	return path, os.Rename(fresh, path)
}
