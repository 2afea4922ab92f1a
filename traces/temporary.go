package traces

import "os"

// Temporary is a file of this process that no one is to find: it goes when it is removed, or with
// RemoveTemporaries.
type Temporary struct{ file *os.File }

// NewTemporary makes a temporary file; see os.CreateTemp for the pattern.
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

// Path is where the file is.
func (t *Temporary) Path() string { return t.file.Name() }

// Write writes to the file.
func (t *Temporary) Write(p []byte) (int, error) { return t.file.Write(p) }

// Remove removes the file.
func (t *Temporary) Remove() {
	_ = t.file.Close() // it is not wanted
	_ = settleTemporary(t.file.Name(), "")
}
