package cli

import (
	"os"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/internal/config"
	"starloom/internal/explain"
)

func newExplain(networks starloom.Networks) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [NAME]",
		Short: "Say what a figure means, how it is counted and where it comes from",
		Args:  cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			out := product(c)
			book, columns := newBook(networks), columnsOf(out, os.Getenv("COLUMNS"))
			if len(args) == 0 {
				return book.WriteText(out, columns)
			}
			answer, err := book.Find(strings.Join(args, " ")) // names of a study's quantities have blanks
			if err != nil {
				return err
			}
			return answer.WriteText(out, columns)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return newBook(networks).Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func newBook(networks starloom.Networks) *explain.Book {
	return explain.Collect(append(config.Kinds(reflect.TypeFor[starloom.Fabric]()), networks...))
}
