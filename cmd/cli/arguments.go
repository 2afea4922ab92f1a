package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/traces/input"
)

// group is what a command does that only holds other commands: help, or an
// error for a word that is not one of them.
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
	return &starloom.InputError{Place: c.CommandPath(), Reason: fmt.Sprintf("there is no command %q", args[0]), Remedy: remedy}
}

// exactly wants the arguments that are named, and says which one is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		reason := ""
		if len(args) < len(names) {
			reason = names[len(args)] + " is missing"
		} else {
			reason = fmt.Sprintf("%q is one argument too many", args[len(names)])
		}
		return &starloom.InputError{Place: c.CommandPath(), Reason: reason, Remedy: "usage: " + c.UseLine()}
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
