package traces

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/traces/input"
)

// louder is a converter that a shell runs: the file is in capitals.
func louder(script string) *Converter {
	return &Converter{
		Command: "sh", Package: "dash", Arguments: []string{"-c", script}, Head: "head ", Instead: "give another path",
		Check: func(file *os.File) error {
			if info, err := file.Stat(); err != nil || info.Size() == 0 {
				return errors.Join(err, errors.New("it has written nothing"))
			}
			return nil
		},
	}
}

const capitals = `tr a-z A-Z >"$0"`

func TestConverter(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.loud")
	f, err := Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Through(louder(capitals)))
	_, err = f.Write([]byte(strings.Repeat("dropped", fileBufferBytes)))
	require.NoError(t, err)
	require.NoError(t, f.Restart())
	text := strings.Repeat("whole ", fileBufferBytes)
	_, err = f.Write([]byte(text))
	require.NoError(t, err)
	require.NotContains(t, names(t, folder), "run.loud")
	require.NoError(t, f.Commit())
	require.Equal(t, []string{"run.loud"}, names(t, folder))
	require.Equal(t, "HEAD "+strings.ToUpper(text), content(t, path))

	again, err := Create(path)
	require.NoError(t, err)
	require.NoError(t, again.Through(louder("sleep 60; "+capitals)))
	begin := time.Now()
	again.Abort()
	require.Less(t, time.Since(begin), 10*time.Second, "nothing waits for what is not wanted")
	require.Equal(t, []string{"run.loud"}, names(t, folder))
	require.Equal(t, "HEAD "+strings.ToUpper(text), content(t, path), "what was there stays")
}

// TestConverterFails: the error names the file, the program and what it said, and nothing is left.
func TestConverterFails(t *testing.T) {
	for script, want := range map[string]string{
		"exit 3": "exit status 3", `echo no room >&2; cat >"$0"; exit 1`: "exit status 1: no room", "kill -9 $$": "signal: killed",
		"exec <&-; sleep 0.2": "it ended before its input did", "cat >/dev/null": "no such file or directory", `cat >/dev/null; : >"$0"`: "it has written nothing",
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "run.loud")
		f, err := Create(path)
		require.NoError(t, err)
		_ = f.Through(louder(script)) // it may have ended already, which the first write sees, or a later one
		_, early := f.Write([]byte(strings.Repeat("whole ", 4*fileBufferBytes)))
		err = f.Commit()
		require.EqualError(t, err, "output "+path+": sh: "+want+"; free memory and disk space, or give another path", script)
		if early != nil {
			require.Equal(t, err, early, "the first error stays")
		}
		var tool *input.ToolError
		require.ErrorAs(t, err, &tool)
		require.Empty(t, names(t, folder))
	}
}

// TestConverterRefused: a program that is missing, or a path that is not that of a file, is refused before the work.
func TestConverterRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.loud")
	f, err := Create(path)
	require.NoError(t, err)
	defer f.Abort()
	missing := louder(capitals)
	missing.Command = "no-such-tool"
	require.EqualError(t, f.Through(missing), path+
		": no-such-tool, which writes such files, is not on the PATH; install the Debian package dash, or give another path")
	device, err := Create(os.DevNull)
	require.NoError(t, err)
	defer device.Abort()
	require.EqualError(t, device.Through(louder(capitals)), os.DevNull+
		": this is a pipe or a device, but sh needs a file, because it writes the beginning last; give another path")
}

// TestConverterLeavesNothing: what a killed process has left goes with its temporary file, and a process that
// ends at once leaves nothing.
func TestConverterLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.loud")
	temp := filepath.Join(folder, ".run.loud.1-1.tmp")
	for _, name := range append(leftovers(temp), temp) {
		require.NoError(t, os.WriteFile(name, nil, 0o666))
	}
	f, err := Create(path)
	require.NoError(t, err)
	require.Len(t, names(t, folder), 1, "its own")
	require.NoError(t, f.Through(louder(`: >"$0"; `+capitals)))
	require.Eventually(t, func() bool { return len(names(t, folder)) == 2 }, 10*time.Second, time.Millisecond)
	RemoveTemporaries()
	defer func() {
		temporaries.Unlock()
		f.Abort()
	}()
	require.Empty(t, names(t, folder))
}
