package main

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/traces/input"
)

func newFirmwareInspect() *cobra.Command {
	var json string
	var shown firmware.Shown
	c := &cobra.Command{
		Use:   "inspect F.wasm",
		Short: "Check an image and say what is in it and what its handlers may cost",
		Long: `Checks an image, or a built-in program by name, and says what is in it.

The worst case of an export is the cost of the longest way through its code, with all
that it calls, by a table of the costs of instructions: no call costs more. It may be that
no input takes that way. Loops turn as often as is proved from the code: where a local
counts from a constant by a constant to a constant. A loop whose turns depend on what was
received, or on what is in memory, has no bound: the cost of one turn is given. Compiled
without optimisation, no loop has one. Recursion has none, nor has memory.copy of a
length that is not a constant, if its bytes cost something. The models are those of
firmware: {cpu: {model: ...}}; a call of the host costs what it costs there.

Programs are
` + strings.Join(firmware.Programs(), ", ") + ".",
		Example: "  starloom firmware inspect router.wasm --model rv32-inorder --functions\n" +
			"  starloom firmware inspect " + firmware.Programs()[0] + " --json - | jq .static.handlers",
		Args:              exactly("F.wasm"),
		ValidArgsFunction: files("wasm"),
	}
	model := choose(c, "model", "count costs by this model", wasm.Models...)
	model.value = wasm.Models[0]
	c.Flags().BoolVar(&shown.Functions, "functions", false, "list the functions: number, bytes, worst case, loops")
	c.Flags().BoolVar(&shown.Blocks, "blocks", false, "list the basic blocks: offset in the image, cost, line, calls")
	c.Flags().StringVar(&json, "json", "", "write everything as JSON to `F`")
	c.RunE = func(c *cobra.Command, args []string) error {
		return withJSON(c, json, args, func() (textAndJSON, error) {
			view, err := firmware.View(c.Context(), args[0], model.value, shown)
			var unread *fs.PathError
			switch {
			case err == nil || errors.Is(err, context.Canceled):
				return view, err
			case errors.As(err, &unread):
				return nil, input.Unreadable(args[0], err, firmware.RemedyOfUnread(args[0], firmware.Programs(), err))
			}
			return nil, &starloom.InputError{Place: args[0], Reason: err.Error()} // it says what to do
		})
	}
	return c
}
