package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"starloom"
)

// Columns of help where the width of the terminal is not known, and the fewest that are used.
const (
	columnsDefault = 80
	columnsMin     = 40
)

// newHelp is cobra's help, except that a word that is not a command is an error.
func newHelp() *cobra.Command {
	var man string
	c := &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command, or manual pages of all",
		RunE: func(c *cobra.Command, args []string) error {
			if man != "" {
				if len(args) > 0 {
					return &starloom.InputError{Place: c.CommandPath(), Reason: fmt.Sprintf("--man writes the pages of all commands, and takes no %q", args[0]),
						Remedy: "write 'starloom help --man DIR'"}
				}
				return writeManual(c.Root(), man)
			}
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return group(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
	c.Flags().StringVar(&man, "man", "", "write manual pages of all commands to the folder `DIR`")
	return c
}

func printHelp(c *cobra.Command, _ []string) {
	out := product(c)
	columns := columnsOf(out, os.Getenv("COLUMNS"))
	c.SetUsageTemplate(strings.ReplaceAll(c.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", columns)))
	text := fill(cmp.Or(c.Long, c.Short), columns) + "\n\n" + c.UsageString()
	// An error has no reader: this is where it would be printed.
	_, _ = io.WriteString(out, blanksAtEnd.ReplaceAllString(text, ""))
}

var blanksAtEnd = regexp.MustCompile(`(?m) +$`)

// columnsOf is the width of what is printed to: what the variable COLUMNS says, else that of the
// terminal.
func columnsOf(out io.Writer, variable string) int {
	if n, err := strconv.Atoi(variable); err == nil && n > 0 {
		return max(n, columnsMin)
	}
	if file, ok := out.(*os.File); ok {
		if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
			return max(n, columnsMin)
		}
	}
	return columnsDefault
}

// fill breaks the lines of paragraphs again. Lines that begin with a blank stay as they are.
func fill(text string, columns int) string {
	var b strings.Builder
	at := 0 // columns of the line, 0 at its start
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, " \n")
		if line == "" || line[0] == ' ' {
			if at > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(line + "\n")
			at = 0
			continue
		}
		for _, word := range strings.Fields(line) {
			switch width := len([]rune(word)); {
			case at == 0:
				at = width
			case at+1+width > columns:
				b.WriteByte('\n')
				at = width
			default:
				b.WriteByte(' ')
				at += 1 + width
			}
			b.WriteString(word)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
