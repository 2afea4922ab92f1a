package main

import (
	"cmp"
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
	var loops, costs []string
	var shown firmware.Shown
	c := &cobra.Command{
		Use:   "inspect F.wasm",
		Short: "Check an image and say what is in it and what its handlers may cost",
		Long: `Checks an image, or a built-in program by name, and says what is in it.

The worst case of an export is the cost of the longest way through its code, with all
that it calls, by a table of the costs of instructions: no call costs more. It may be that
no input takes that way. Loops turn as often as is proved from the code: where a local
counts from a constant by a constant to a constant; that over the processors of a bank
turns once. A loop whose turns depend on what was received, or on what is in memory, has
no bound: the cost of one turn is given. Compiled without optimisation, no loop has one.
So most slot handlers have none by themselves: sl_receive moves the frames that stay in the
RX FIFO. Say what you know of such a loop with --loop: a turn is each time that its first
instruction runs, once more than its body where the test comes first. In starloom.h,
frames move at most nic.rx_frames or tx_frames times, and the words of one
(16 + nic.payload_bytes) / 8 times, rounded up, 3 at least. What you say is believed, and
the cost holds if it is right. An image without debug information has no lines: there a
place is the offset of the loop in the image, as it is listed, such as 'offset 0x1a5'.
Recursion has no bound, nor has memory.copy of a
length that is not a constant, if its bytes cost something. The models are those of
firmware: {cpu: {model: ..., cost: ...}}; firmware/ABI.md has their tables and sources, and
--json the one that was used. With --cost a class of instructions costs something else, as
with cost in a scenario; with --model custom every other one costs 1. A call of the host costs call_host, whatever the host does.

Programs are
` + strings.Join(firmware.Programs(), ", ") + ".",
		Example: "  starloom firmware inspect router.wasm --model rv32-inorder --functions\n" +
			"  starloom firmware inspect router.wasm --loop router.c:40=16 --loop sdk/starloom.h:340=4\n" +
			"  starloom firmware inspect stripped.wasm --loop 'offset 0x1a5=100' --model custom --cost load=3 --cost divide=30\n" +
			"  starloom firmware inspect " + firmware.Programs()[0] + " --json - | jq .static.handlers",
		Args:              exactly("F.wasm"),
		ValidArgsFunction: files("wasm"),
	}
	model := choose(c, "model", "count costs by this model", append(wasm.Models(), wasm.ModelCustom)...)
	model.value = wasm.Presets[0].Name
	c.Flags().StringArrayVar(&costs, "cost", nil, "an instruction of this class costs N: `CLASS=N`; may be given several times")
	c.Flags().StringArrayVar(&loops, "loop", nil, "the loop at `FILE:LINE=N` or 'offset 0xHEX=N' turns at most N times each time that it is entered; may be given several times")
	c.Flags().BoolVar(&shown.Functions, "functions", false, "list the functions: number, bytes, worst case, loops")
	c.Flags().BoolVar(&shown.Blocks, "blocks", false, "list the basic blocks: offset in the image, cost, line, calls")
	c.Flags().StringVar(&json, "json", "", "write everything as JSON to `F`")
	c.RunE = func(c *cobra.Command, args []string) error {
		return withJSON(c, json, args, func() (textAndJSON, error) {
			turns, err := firmware.ParseTurns(loops)
			if err != nil {
				const remedy = "give it as --loop sdk/starloom.h:340=4, or as --loop 'offset 0x1a5=4' of an image without lines"
				return nil, &starloom.InputError{Place: "--loop", Reason: err.Error(), Remedy: remedy}
			}
			cost, err := firmware.ParseCosts(costs)
			if err != nil {
				return nil, &starloom.InputError{Place: "--cost", Reason: err.Error(), Remedy: "classes are " + strings.Join(wasm.ClassNames(), ", ")}
			}
			if model.value == wasm.ModelCustom && len(cost) == 0 {
				return nil, &starloom.InputError{Place: "--model", Reason: "the model custom without costs",
					Remedy: "add --cost load=3, and more such; what is left out costs 1"}
			}
			view, err := firmware.View(c.Context(), args[0], model.value, cost, turns, shown)
			var none *wasm.NoLoopError
			var unread *fs.PathError
			switch {
			case err == nil || errors.Is(err, context.Canceled):
				return view, err
			case errors.As(err, &none):
				return nil, &starloom.InputError{Place: "--loop", Reason: err.Error(), Remedy: "there are such at " + cmp.Or(strings.Join(none.Loops, ", "), "no place: leave it out")}
			case errors.As(err, &unread):
				return nil, input.Unreadable(args[0], err, firmware.RemedyOfUnread(args[0], firmware.Programs(), err))
			}
			return nil, &starloom.InputError{Place: args[0], Reason: err.Error()} // it says what to do
		})
	}
	return c
}
