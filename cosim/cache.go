package cosim

import (
	"fmt"
	"os"
	"path/filepath"
)

// A cache is a directory of build results. A name says what went into the file, so
// a file is never changed, and two processes may make the same one: the second
// takes its place with the same content.
type cache struct{ dir, remedy string }

// remedyUserCache is for the user's own cache, which every command uses and only
// `cosim build` has an option for.
const remedyUserCache = "set XDG_CACHE_HOME to a directory that can be written"

// openCache makes the directory; "" is the user's own.
func openCache(dir string) (cache, error) {
	remedy := "name another directory with --cache"
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return cache{}, &InputError{Place: "XDG_CACHE_HOME", Reason: fmt.Sprintf("there is no directory for build results: %v", err), Remedy: remedyUserCache}
		}
		dir, remedy = filepath.Join(user, "starloom", "cosim"), remedyUserCache
	}
	dir, err := filepath.Abs(dir) // tools run in other directories
	if err != nil {
		return cache{}, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cache{}, &InputError{Place: dir, Reason: fmt.Sprintf("cannot hold build results: %v", reason(err)), Remedy: remedy}
	}
	return cache{dir, remedy}, nil
}

// take returns the path of a file, which make writes to the given path if it is not
// there yet. No other process sees a half-written one.
func (c cache) take(name string, make func(path string) error) (string, error) {
	path := filepath.Join(c.dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return path, nil
	}
	work, err := os.MkdirTemp(c.dir, ".build-")
	if err != nil {
		return "", &InputError{Place: c.dir, Reason: fmt.Sprintf("cannot hold build results: %v", reason(err)), Remedy: c.remedy}
	}
	defer os.RemoveAll(work)
	fresh := filepath.Join(work, name)
	if err := make(fresh); err != nil {
		return "", err
	}
	return path, os.Rename(fresh, path)
}
