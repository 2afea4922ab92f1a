package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/template"
)

func completed(c *cobra.Command, option string, complete cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(option, complete); err != nil {
		panic(err) // the option was added before, and once
	}
}

// settingWords completes --set: keys of a scenario, and values that are words.
func settingWords(networks starloom.Networks) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		schema, err := networks.Schema()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		words, err := template.Complete(schema, word)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		fitting := slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, word) })
		if strings.Contains(word, "=") {
			return fitting, cobra.ShellCompDirectiveNoFileComp
		}
		return fitting, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// imageWords completes what takes an image or a program: programs, or files.
func imageWords(_ *cobra.Command, _ []string, word string) (fitting []string, _ cobra.ShellCompDirective) {
	for _, program := range firmware.Programs() {
		if strings.HasPrefix(program, word) {
			fitting = append(fitting, program)
		}
	}
	if len(fitting) == 0 {
		return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return fitting, cobra.ShellCompDirectiveNoFileComp
}

// expectWords completes --expect: verdicts, and the rules that may be broken.
func expectWords(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := []string{string(starloom.VerdictPass), string(starloom.VerdictFail)}
	for _, g := range fabric.Meanings() {
		for _, e := range g.Entries {
			if g.Key == "rules" {
				words = append(words, cobra.CompletionWithDesc("fail:"+e.Name, e.Means))
			}
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
