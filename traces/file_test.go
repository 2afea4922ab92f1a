package traces

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	list := []string{}
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestFileAppearsWithCommit(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.vcd")
	f, err := Create(path)
	require.NoError(t, err)
	assert.Equal(t, path, f.Path())
	defer f.Abort()
	_, err = f.Write([]byte("whole"))
	require.NoError(t, err)
	assert.NotContains(t, names(t, folder), "run.vcd")
	require.NoError(t, f.Commit())
	assert.Equal(t, []string{"run.vcd"}, names(t, folder))
	assert.Equal(t, "whole", content(t, path))
	f.Abort()
	require.NoError(t, f.Commit())
	assert.Equal(t, "whole", content(t, path))
	_, err = f.Write([]byte("more"))
	assert.ErrorContains(t, err, path)
}

func TestFileAbortLeavesWhatWasThere(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.vcd")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o640))
	f, err := Create(path)
	require.NoError(t, err)
	_, err = f.Write(make([]byte, 3*fileBufferBytes))
	require.NoError(t, err)
	f.Abort()
	assert.Equal(t, []string{"run.vcd"}, names(t, folder))
	assert.Equal(t, "old", content(t, path))

	f, err = Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Commit())
	assert.Empty(t, content(t, path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.EqualValues(t, 0o640, info.Mode().Perm(), "the permissions stay")
}

func TestFileKeepsSymbolicLinks(t *testing.T) {
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	require.NoError(t, os.WriteFile(target, nil, 0o666))
	require.NoError(t, os.Symlink("target", link))
	f, err := Create(link)
	require.NoError(t, err)
	_, err = f.Write([]byte("new"))
	require.NoError(t, err)
	require.NoError(t, f.Commit())
	assert.Equal(t, "new", content(t, target))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)
}

// TestTwoPathsOfOneOutput: paths of one file, through links of the file or of a folder, are one output, whether the
// file exists or not; the target of a dangling link is created.
func TestTwoPathsOfOneOutput(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "real", "sub"), 0o777))
	for link, target := range map[string]string{
		"dangling": "real/out", "again": "dangling", "up": "real/sub/../out", "there": "real", "deep": "real/sub", "real/sub/back": "../out",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(folder, link)))
	}
	paths := []string{"dangling", "again", "up", "there/out", "deep/back", "real/out", filepath.Join(folder, "real", "out")}
	for k, path := range paths {
		if !filepath.IsAbs(path) {
			paths[k] = folder + "/" + path
		}
	}
	for _, exists := range []bool{false, true} {
		for _, a := range paths {
			for _, b := range paths {
				var run Files
				_, err := run.Create(a)
				require.NoError(t, err)
				_, err = run.Create(b)
				require.ErrorContains(t, err, "two outputs have this path", "%s %s %v", a, b, exists)
				_, err = run.Create(filepath.Join(folder, "out"))
				require.NoError(t, err, "of another folder")
				run.Abort()
			}
		}
		f, err := Create(paths[1])
		require.NoError(t, err)
		require.NoError(t, f.Commit())
		require.FileExists(t, filepath.Join(folder, "real", "out"))
	}
	require.Equal(t, []string{"again", "dangling", "deep", "real", "there", "up"}, names(t, folder))
}

func TestFileRefusals(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o666))
	for path, advice := range map[string]string{
		"":                                     "give a file name",
		folder:                                 "give a file name in it",
		filepath.Join(folder, "no", "run.vcd"): "run.vcd: the folder " + filepath.Join(folder, "no") + ": no such file or directory: make the folder first",
		filepath.Join(plain, "run.vcd"):        "give another path",
	} {
		_, err := Create(path)
		require.Error(t, err, path)
		assert.ErrorContains(t, err, advice)
		assert.ErrorContains(t, err, path)
		assert.NotContains(t, err.Error(), ".tmp", "the user does not know it")
	}
	assert.Equal(t, []string{"plain"}, names(t, folder))
}

// /dev/full simulates a full disk.
func TestFileFullDisk(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.vcd")
	f, err := Create(path)
	require.NoError(t, err)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	require.NoError(t, f.file.Close())
	f.file = full
	f.buf.Reset(full)
	_, err = f.Write([]byte("lost"))
	require.NoError(t, err)
	err = f.Commit()
	assert.ErrorContains(t, err, path)
	assert.ErrorContains(t, err, "free some disk space")
	assert.NotContains(t, err.Error(), "/dev/full")
	assert.Empty(t, names(t, folder))
	assert.Equal(t, err, f.Commit())
}

func TestFilesCommitTogether(t *testing.T) {
	folder := t.TempDir()
	var run Files
	var made []*File
	for _, name := range []string{"a", "b", "c"} {
		f, err := run.Create(filepath.Join(folder, name))
		require.NoError(t, err)
		_, err = f.Write([]byte(name))
		require.NoError(t, err)
		made = append(made, f)
	}
	_, err := run.Create(folder + "/./b")
	assert.ErrorContains(t, err, "two outputs have this path")
	made[2].Abort()
	require.NoError(t, run.Commit())
	assert.Equal(t, []string{"a", "b"}, names(t, folder))
	run.Abort()
	assert.Equal(t, []string{"a", "b"}, names(t, folder))
}

func TestFilesNoneAppearsWhenOneFails(t *testing.T) {
	folder := t.TempDir()
	var run Files
	_, err := run.Create(filepath.Join(folder, "a"))
	require.NoError(t, err)
	b, err := run.Create(filepath.Join(folder, "b"))
	require.NoError(t, err)
	require.NoError(t, b.file.Close())
	_, err = b.Write([]byte("lost"))
	require.NoError(t, err)
	assert.ErrorContains(t, run.Commit(), filepath.Join(folder, "b"))
	assert.Empty(t, names(t, folder))
}

func TestFileStandardOutput(t *testing.T) {
	keep := os.Stdout
	defer func() { os.Stdout = keep }()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	os.Stdout = w
	var run Files
	f, err := run.Create("-")
	require.NoError(t, err)
	_, err = run.Create("-")
	assert.ErrorContains(t, err, "standard output: two outputs")
	_, err = f.Write([]byte("hello"))
	require.NoError(t, err)
	require.NoError(t, run.Commit())
	got := make([]byte, 10)
	n, err := r.Read(got)
	require.NoError(t, err)
	assert.Equal(t, "hello", string(got[:n]))
}

// TestFileRemovesWhatKilledRunsLeft: files without a lock are removed; those of live processes, and others with
// similar names, stay.
func TestFileRemovesWhatKilledRunsLeft(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.vcd")
	live, err := Create(path)
	require.NoError(t, err)
	_, err = live.Write([]byte("live"))
	require.NoError(t, err)
	for _, name := range []string{".run.vcd.4711-1.tmp", ".run.vcd.4711-12.tmp", ".run.vcd.x-1.tmp", ".other.vcd.4711-1.tmp"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o666))
	}
	next, err := Create(path)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		filepath.Base(live.temp), filepath.Base(next.temp), ".run.vcd.x-1.tmp", ".other.vcd.4711-1.tmp",
	}, names(t, folder))
	require.NoError(t, live.finish()) // closed, not yet renamed
	last, err := Create(path)
	require.NoError(t, err)
	require.FileExists(t, live.temp)
	require.NoError(t, live.rename())
	require.Equal(t, "live", content(t, path))
	next.Abort()
	last.Abort()
	require.ElementsMatch(t, []string{"run.vcd", ".run.vcd.x-1.tmp", ".other.vcd.4711-1.tmp"}, names(t, folder))
}

// TestRestart writes an output again, with more and with fewer bytes, and once while bytes are buffered.
func TestRestart(t *testing.T) {
	for _, bytes := range []int{1, 3 * fileBufferBytes} {
		path := filepath.Join(t.TempDir(), "out")
		f, err := Create(path)
		require.NoError(t, err)
		_, err = f.Write(make([]byte, bytes))
		require.NoError(t, err)
		require.NoError(t, f.Restart())
		_, err = f.Write([]byte("again"))
		require.NoError(t, err)
		require.NoError(t, f.Commit())
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "again", string(text))
	}
}

// TestHold writes an output on a writer again: held bytes can be dropped, and excess bytes are written at once.
func TestHold(t *testing.T) {
	for _, c := range []struct {
		bytes   int
		dropped bool
	}{{1, true}, {3 * fileBufferBytes, true}, {heldBytesMax + 1, false}} {
		var out bytes.Buffer
		f := To("wave", &out)
		f.Hold()
		for left := c.bytes; left > 0; left -= 1 << 20 {
			n, err := f.Write(make([]byte, min(left, 1<<20)))
			require.NoError(t, err)
			require.Equal(t, min(left, 1<<20), n)
		}
		want := "again"
		if c.dropped {
			require.NoError(t, f.Restart())
			require.Zero(t, out.Len())
		} else {
			require.EqualError(t, f.Restart(), "wave cannot be written again")
			want = string(make([]byte, c.bytes)) + want
		}
		_, err := f.Write([]byte("again"))
		require.NoError(t, err)
		require.NoError(t, f.Commit())
		require.True(t, want == out.String())
	}
}

// TestWriters: outputs on writers if one fails, or two have the same writer.
func TestWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	var files Files
	file, err := files.Create(path)
	require.NoError(t, err)
	_, err = file.Write([]byte("text"))
	require.NoError(t, err)
	read, write := io.Pipe()
	require.NoError(t, read.CloseWithError(io.ErrShortWrite))
	broken, err := files.To("wave", write)
	require.NoError(t, err)
	_, err = files.To("log", write)
	require.EqualError(t, err, "output log: output wave has the same writer: give each its own")
	_, err = broken.Write([]byte("text"))
	require.NoError(t, err)
	require.EqualError(t, files.Commit(), "output wave: short write")
	require.NoFileExists(t, path)
}

// TestDevices: files that are not regular are written directly.
func TestDevices(t *testing.T) {
	file, err := Create(os.DevNull)
	require.NoError(t, err)
	_, err = file.Write([]byte("gone"))
	require.NoError(t, err)
	require.NoError(t, file.Commit())
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	require.False(t, info.Mode().IsRegular())

	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	pipe := fmt.Sprintf("/dev/fd/%d", writer.Fd())
	if _, err := os.Stat(pipe); err != nil {
		t.Skip("no /dev/fd")
	}
	file, err = Create(pipe)
	require.NoError(t, err)
	_, err = file.Write([]byte("text"))
	require.NoError(t, err)
	require.NoError(t, file.Commit())
	require.NoError(t, writer.Close())
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
}
