package explore

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/zeebo/xxh3"

	"starloom/traces"
	"starloom/traces/input"
)

// Saved is the folder of a search that another process can continue. The file holds the search at the end of a chunk:
// visited states, snapshots of unexpanded states, counts, and the failure. It is written under a temporary name and
// renamed.
//
//	head: a line of JSON | search: fields in order, see codec | XXH3-128 of both
type Saved struct {
	Folder string        // "" for none
	Every  time.Duration // minimum time between two files; 0 selects 30 s
	// inputs of a search other than its bounds: the program with its version, and the scenario with its files
	Program, Scenario string

	file string
	head []byte
	last time.Time
	took time.Duration
}

const (
	savedVersion = 1
	savedEvery   = 30 * time.Second
	savedShare   = 20 // the time between two files is at least this multiple of the time to write one
	savedEnding  = ".explore"
)

// savedHead identifies the search of a file.
type savedHead struct {
	Version  int    `json:"starloom_explore"`
	Program  string `json:"program"`
	Scenario string `json:"scenario"`
	Engine   string `json:"engine"`
	Bounds   string `json:"bounds"`
}

// open creates the folder and names the file of a search.
func (s *Saved) open(bounds, engine, name string) error {
	if s.Folder == "" {
		return nil
	}
	if s.Every == 0 {
		s.Every = savedEvery
	}
	head, err := json.Marshal(savedHead{savedVersion, s.Program, s.Scenario, engine, bounds})
	if err != nil {
		return err
	}
	s.head = append(head, '\n')
	s.file, s.last = filepath.Join(s.Folder, cmp.Or(name, "search")+savedEnding), time.Now()
	if err := os.MkdirAll(s.Folder, 0o777); err != nil {
		return &input.Error{Place: "--out", Reason: fmt.Sprintf("%s: %v", s.Folder, input.WithoutPath(err)),
			Remedy: "give a folder that can be written", Cause: err}
	}
	return nil
}

// due reports whether it is time to write a file; rare files keep the search fast.
func (s *Saved) due() bool {
	return s.file != "" && time.Since(s.last) >= max(s.Every, savedShare*s.took)
}

// write writes a search, which is a pointer to a struct.
func (s *Saved) write(search any) (err error) {
	if s.file == "" {
		return nil
	}
	began := time.Now()
	file, err := traces.Create(s.file)
	if err != nil {
		return err
	}
	defer file.Abort()
	sum := xxh3.New()
	w := bufio.NewWriterSize(io.MultiWriter(file, sum), 1<<18)
	_, _ = w.Write(s.head)
	c := codec{w: w}
	c.fields(search)
	if err := errors.Join(c.err, w.Flush()); err != nil {
		return err
	}
	if _, err := file.Write(digest(sum)); err != nil {
		return err
	}
	err = file.Commit()
	s.last, s.took = time.Now(), time.Since(began)
	return err
}

func digest(sum hash.Hash) []byte {
	h := sum.(*xxh3.Hasher).Sum128()
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, h.Hi), h.Lo)
}

const digestBytes = 16

// read loads the search from the file, if one exists. A file of another search is an *input.Error.
func (s *Saved) read(search any) (found bool, err error) {
	if s.file == "" {
		return false, nil
	}
	file, err := os.Open(s.file)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	refuse := func(reason string) error {
		return input.Mistake("--out", fmt.Sprintf("%s %s", s.file, reason),
			"give another folder, or delete this file to begin again")
	}
	if err != nil {
		return false, refuse(fmt.Sprintf("cannot be read: %v", input.WithoutPath(err)))
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<18)
	head, err := r.ReadBytes('\n')
	if err != nil {
		return false, refuse("is not a search of `starloom explore`, or is incomplete")
	}
	if err := s.same(head); err != nil {
		return false, refuse(err.Error())
	}
	if whole(file) != nil {
		return false, refuse("is damaged: its bytes have changed since they were written")
	}
	if _, err := file.Seek(int64(len(head)), io.SeekStart); err != nil {
		return false, err
	}
	r.Reset(file)
	c := codec{r: r}
	c.fields(search)
	return true, c.err
}

// same compares the head of a file with the head of the search.
func (s *Saved) same(head []byte) error {
	var old, now savedHead
	if err := json.Unmarshal(head, &old); err != nil || old.Version == 0 {
		return errors.New("is not a search of `starloom explore`")
	}
	if err := json.Unmarshal(s.head, &now); err != nil {
		return err
	}
	switch {
	case old.Version != now.Version || old.Program != now.Program:
		return errors.New("belongs to another build of starloom, whose states this build cannot read")
	case old.Scenario != now.Scenario:
		return errors.New("belongs to another scenario, or to other input files")
	case old.Engine != now.Engine:
		return fmt.Errorf("belongs to the %s engine, but this search runs in the %s engine", old.Engine, now.Engine)
	case old.Bounds != now.Bounds:
		return fmt.Errorf("belongs to the bounds %s, not %s", old.Bounds, now.Bounds)
	case !bytes.Equal(head, s.head):
		return errors.New("has another head")
	}
	return nil
}

// whole compares the hash at the end of a file with the file's bytes.
func whole(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Size() < digestBytes {
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := xxh3.New()
	if _, err := io.CopyN(sum, file, info.Size()-digestBytes); err != nil {
		return err
	}
	end, err := io.ReadAll(file)
	if err == nil && !bytes.Equal(end, digest(sum)) {
		err = errors.New("another hash")
	}
	return err
}
