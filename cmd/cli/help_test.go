package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestHelpWidth checks that help has the requested width and the same words at every width, and that examples and
// indented lines are kept.
func TestHelpWidth(t *testing.T) {
	for _, c := range documented(newRoot()) {
		text := c.Long
		for _, columns := range []int{40, 60, 80, 120, 1000} {
			filled := fill(text, columns)
			require.Equal(t, strings.Fields(text), strings.Fields(filled))
			require.Equal(t, filled, fill(filled, columns))
			for line := range strings.Lines(filled) {
				line = strings.TrimRight(line, "\n")
				if strings.HasPrefix(line, " ") {
					require.Contains(t, text, line)
				} else if strings.Contains(line, " ") {
					require.LessOrEqual(t, utf8.RuneCountInString(line), columns, c.CommandPath())
				}
			}
		}
	}
	require.Equal(t, "a b\nc d\n\n  e   f\ng h", fill("a\nb c\nd\n\n  e   f\ng\nh\n", 3))

	widest := func(variable string) (most int) {
		command := exec.Command(binary, "help", "run")
		command.Env = append(os.Environ(), "COLUMNS="+variable)
		out, err := command.Output()
		require.NoError(t, err)
		text, _, _ := strings.Cut(string(out), "Usage:")
		for line := range strings.Lines(text) {
			most = max(most, utf8.RuneCountInString(line)-1)
		}
		return most
	}
	for variable, columns := range map[string]int{"": 80, "none": 80, "0": 80, "60": 60, "100": 100, "3": 40} {
		most := widest(variable)
		require.LessOrEqual(t, most, columns, variable)
		require.Greater(t, most, columns-12, variable)
	}
}

// TestHelpNamesNoFilesOfTheSources checks that help names no example files, which a user of the program alone lacks,
// and that its scenario runs.
func TestHelpNamesNoFilesOfTheSources(t *testing.T) {
	var shown string
	for _, c := range documented(newRoot()) {
		require.NotContains(t, c.Long+c.Example, "examples/", c.CommandPath())
		if c.CommandPath() == "starloom run" {
			for line := range strings.Lines(c.Long) {
				if text, indented := strings.CutPrefix(line, "    "); indented {
					shown += text
				}
			}
		}
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pops.yaml"), []byte(shown), 0o644))
	r := starloomIn(t, dir, "run", "pops.yaml", "--vcd", "out.vcd", "--pcapng", "out.pcapng")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.FileExists(t, filepath.Join(dir, "out.gtkw"))
}

// TestHelpOfTerminal checks that help has the width of the terminal.
func TestHelpOfTerminal(t *testing.T) {
	controller, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system has no pseudo-terminals: %v", err)
	}
	defer controller.Close()
	require.NoError(t, unix.IoctlSetWinsize(int(controller.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 97}))
	require.Equal(t, 97, columnsOf(controller, ""))
	require.Equal(t, 70, columnsOf(controller, "70"))
}

// TestManual checks that every command has a manual page that groff formats without warnings and that contains every
// word of the help.
func TestManual(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man", "man1")
	dir := t.TempDir()
	r := starloomIn(t, dir, "help", "--man", folder)
	require.Equal(t, statusPass, r.status, r.stderr)
	pages := list(t, folder)
	require.Subset(t, pages, []string{"starloom.1", "starloom-run.1", "starloom-firmware-inspect.1", "starloom-help.1"})
	again := filepath.Join(t.TempDir(), "again")
	require.Equal(t, statusPass, starloomIn(t, dir, "help", "--man", again).status)
	for _, c := range documented(newRoot()) {
		page, err := os.ReadFile(filepath.Join(folder, pageName(c)+".1"))
		require.NoError(t, err)
		same, err := os.ReadFile(filepath.Join(again, pageName(c)+".1"))
		require.NoError(t, err)
		require.Equal(t, page, same)
	}
	r = starloomIn(t, dir, "help", "run", "--man", folder)
	require.Equal(t, statusInput, r.status)
	r = starloomIn(t, dir, "help", "--man", os.DevNull)
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--man: ")

	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("the pages were written, but not formatted: groff is not installed")
	}
	for _, c := range documented(newRoot()) {
		command := exec.Command(groff, "-man", "-ww", "-Wbreak", "-Tutf8", "-rLL=200n", "-P-c", "-P-b", "-P-o", "-P-u", filepath.Join(folder, pageName(c)+".1"))
		var complaints strings.Builder
		command.Stderr = &complaints
		text, err := command.Output()
		require.NoError(t, err, c.CommandPath())
		require.Empty(t, complaints.String(), c.CommandPath())
		words := strings.NewReplacer("\u2010", "-", "\u2212", "-", "\u2019", "'", "\u00ad", "").Replace(string(text))
		flat := strings.Join(strings.Fields(words), "")
		for _, word := range strings.Fields(c.Long + " " + c.Example) {
			require.Contains(t, flat, word, c.CommandPath())
		}
	}
}

// TestBriefHelp checks that help of any command has at most 40 lines of 80 columns, names every option, and that --all
// prints the whole.
func TestBriefHelp(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("COLUMNS", "80")
	for _, c := range documented(newRoot()) {
		path := strings.Fields(c.CommandPath())[1:]
		r := starloomIn(t, dir, append(path, "--help")...)
		require.Equal(t, statusPass, r.status, r.stderr)
		require.LessOrEqual(t, strings.Count(r.stdout, "\n"), 40, r.stdout)
		whole := starloomIn(t, dir, append(path, "--help", "--all")...)
		require.Equal(t, statusPass, whole.status, whole.stderr)
		for _, word := range strings.Fields(c.Long + " " + c.Example) {
			require.Contains(t, whole.stdout, word, c.CommandPath())
		}
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			named := regexp.MustCompile("--" + f.Name + `([^-a-z]|$)`).MatchString(r.stdout)
			require.True(t, f.Name == "all" || named != f.Hidden, "%s --%s", c.CommandPath(), f.Name)
		})
		hint := strings.Contains(r.stdout, "'"+c.CommandPath()+" --help --all' explains everything")
		require.Equal(t, whole.stdout != r.stdout, hint)
		for _, name := range strings.Fields(c.Annotations[firstOptions]) {
			require.NotNil(t, c.LocalFlags().Lookup(name), "%s --%s", c.CommandPath(), name)
		}
	}
	whole := starloomIn(t, dir, "run", "--help", "--all").stdout
	require.Equal(t, whole, starloomIn(t, dir, "help", "run", "--all").stdout)
	r := starloomIn(t, dir, "run", "--all", "s.yaml")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "'starloom run --help --all'")
}
