package starloom

import (
	"starloom/internal/maps"
	"starloom/traces/diff"
)

// DecodeMap says where in a VCD the frames are; LoadDecodeMap reads one.
type DecodeMap = maps.Decode

// LoadDiffMap reads a map of `trace diff` into options. Every error is an *InputError with file,
// line and column.
func LoadDiffMap(path string, o *diff.Options) error { return maps.LoadDiff(path, o) }

// LoadDecodeMap reads a map of `trace decode`. Every error is an *InputError with file, line and
// column.
func LoadDecodeMap(path string) (*DecodeMap, error) { return maps.LoadDecode(path) }
