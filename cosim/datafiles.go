package cosim

import (
	"fmt"
	"os"
	"path/filepath"
)

// FindData returns the path of a file that $readmem names in a source. It is looked for
// in DataDir, the folder of a pin map, then beside the source: where a run was started
// makes no difference to a run with a map.
func (s *Source) FindData(name, source string) (string, error) {
	paths := []string{name}
	if !filepath.IsAbs(name) {
		paths = []string{filepath.Join(s.DataDir, name), filepath.Join(filepath.Dir(source), name)}
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	where := "the working directory"
	if s.DataDir != "" {
		where = "the folder of the pin map"
	}
	return "", &InputError{Place: name, Reason: fmt.Sprintf("$readmem in %s needs this file, and it is not there", source),
		Remedy: fmt.Sprintf("give a path relative to %s, or to the source", where)}
}
