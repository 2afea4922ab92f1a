package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/template"
	"starloom/traces/input"
)

// group runs a command that only groups other commands. Without arguments it prints the command's help. It rejects an
// unknown command.
func group(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	remedy := fmt.Sprintf("see '%s --help'", c.CommandPath())
	if _, err := os.Stat(args[0]); err == nil && !c.HasParent() {
		remedy = fmt.Sprintf("did you mean 'starloom run %s'? %s", args[0], remedy)
	}
	var known []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			known = append(known, sub.Name())
		}
	}
	if args[0] == "man" && !c.HasParent() {
		remedy = "'starloom help --man DIR' writes manual pages; " + remedy
	} else if near := input.Nearest(args[0], known); near != "" {
		remedy = fmt.Sprintf("did you mean %s? %s", near, remedy)
	}
	return input.Mistake(c.CommandPath(), fmt.Sprintf("there is no command %q", args[0]), remedy)
}

func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		reason := ""
		if len(args) < len(names) {
			reason = names[len(args)] + " is missing"
		} else {
			reason = fmt.Sprintf("unexpected argument %q", args[len(names)])
		}
		return input.Mistake(c.CommandPath(), reason, "usage: "+c.UseLine())
	}
}

func atLeastOne(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return exactly(name)(c, args)
		}
		return nil
	}
}

func filesOf(endings ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return endings, cobra.ShellCompDirectiveFilterFileExt
	}
}

func oneFile(endings ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return endings, cobra.ShellCompDirectiveFilterFileExt
	}
}

func completed(c *cobra.Command, option string, complete cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(option, complete); err != nil {
		panic(err)
	}
}

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

// wordsOf completes with words that depend on the arguments. An error yields no completions.
func wordsOf(words func(c *cobra.Command, args []string) ([]string, error)) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, word string) (fitting []string, _ cobra.ShellCompDirective) {
		known, err := words(c, args)
		for _, one := range known {
			if err == nil && strings.HasPrefix(one, word) {
				fitting = append(fitting, one)
			}
		}
		return fitting, cobra.ShellCompDirectiveNoFileComp
	}
}

// imageThenScenario completes the arguments IMAGE|PROGRAM SCENARIO.
func imageThenScenario(c *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return imageWords(c, args, word)
	case 1:
		return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

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
