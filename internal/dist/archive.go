package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"time"
)

type content map[string]file

type file struct {
	data       []byte
	executable bool
}

func (f file) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// released is the time of everything in an archive, the first one that zip has.
var released = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// paths are sorted, so that an archive does not depend on how it was filled.
func (c content) paths() []string {
	var paths []string
	for path := range c {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, strings.Compare)
	return paths
}

func (c content) writeTar(w io.Writer) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(compressed)
	for _, path := range c.paths() {
		f := c[path]
		header := tar.Header{Name: path, Mode: f.mode(), Size: int64(len(f.data)), ModTime: released, Format: tar.FormatUSTAR}
		if err := out.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func (c content) writeZip(w io.Writer) error {
	out := zip.NewWriter(w)
	for _, path := range c.paths() {
		f := c[path]
		entry, err := out.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Deflate, Modified: released})
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return out.Close()
}
