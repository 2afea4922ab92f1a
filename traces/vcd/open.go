package vcd

import (
	"bytes"

	"starloom/traces"
	"starloom/traces/input"
)

// Open opens a waveform and reads its declarations. The waveform is a VCD or an FST, gzipped or not; "-" is standard
// input.
func Open(path string) (*Reader, error) {
	s, err := input.OpenStream(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return OpenStream(s)
}

// OpenStream is Open for an open stream. It closes s on failure.
func OpenStream(s *input.Stream) (*Reader, error) {
	source, err := unpack(s)
	if err != nil {
		_ = s.Close() // read-only
		return nil, err
	}
	r, err := newReader(source, s.Name, source.converted())
	if err != nil {
		// the converter's exit explains incomplete declarations
		if ended := source.Close(); ended != nil && source.converted() != nil {
			err = ended
		}
		return nil, err
	}
	r.source = source
	return r, nil
}

type plain struct{ *input.Stream }

func (plain) converted() *leftOut { return nil }

func unpack(s *input.Stream) (source, error) {
	if !looksLikeFST(s.Peek()) {
		return plain{s}, nil
	}
	return convertFST(s)
}

// IsWaveform reports whether a file with the given first bytes is a VCD or an FST.
func IsWaveform(first []byte) bool {
	return looksLikeFST(first) || bytes.HasPrefix(bytes.TrimSpace(first), []byte("$"))
}

// Waveform is a file named by the user that can be opened repeatedly. A temporary file holds a copy of standard
// input.
type Waveform struct {
	Name string
	path string
	temp *traces.Temporary // nil for none
}

// Keep returns a Waveform for a path. The caller must Drop it.
func Keep(path string) (*Waveform, error) {
	if path != input.StandardInput {
		return &Waveform{Name: path, path: path}, nil
	}
	s, err := input.OpenStream(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	temp, err := keep(s, s.Name)
	if err != nil {
		return nil, err
	}
	return &Waveform{Name: s.Name, path: temp.Path(), temp: temp}, nil
}

// Open opens the waveform.
func (w *Waveform) Open() (*Reader, error) {
	s, err := input.OpenStreamAs(w.path, w.Name)
	if err != nil {
		return nil, unreadable(w.Name, err)
	}
	return OpenStream(s)
}

// Drop removes the temporary file.
func (w *Waveform) Drop() {
	if w.temp != nil {
		w.temp.Remove()
	}
}
