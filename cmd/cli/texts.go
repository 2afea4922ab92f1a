package cli

import (
	"embed"
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"starloom/firmware"
)

// texts are the long helps of the commands, named as their manual pages are: what a command does,
// then a line "Examples:" and its examples.
//
//go:embed help/*.txt
var texts embed.FS

// examplesLine is between what a command does and its examples.
const examplesLine = "\n\nExamples:\n"

// describe gives commands and all below them their texts. Some have none.
func describe(commands ...*cobra.Command) {
	programs := firmware.Programs()
	describeAll(commands, strings.NewReplacer(
		"{{limits}}", strings.Join(firmware.Limits(), "\n  "),
		"{{programs}}", strings.Join(programs, ", "),
		"{{program}}", programs[0],
	))
}

func describeAll(commands []*cobra.Command, values *strings.Replacer) {
	for _, c := range commands {
		text, err := texts.ReadFile("help/" + strings.TrimPrefix(pageName(c), "starloom-") + ".txt")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			panic(err) // they are a part of this program
		}
		c.Long, c.Example, _ = strings.Cut(strings.TrimSuffix(values.Replace(string(text)), "\n"), examplesLine)
		describeAll(c.Commands(), values)
	}
}
