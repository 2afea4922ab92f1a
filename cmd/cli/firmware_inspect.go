package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/traces/input"
)

// inspectFlags are the options of `firmware inspect`.
type inspectFlags struct {
	loops, costs []string
	shown        firmware.Shown
	model        *choice
}

func newFirmwareInspect() *cobra.Command {
	var o inspectFlags
	var files outputs
	c := &cobra.Command{
		Use:               "inspect F.wasm",
		Short:             "Check an image and say what is in it and what its handlers may cost",
		Args:              exactly("F.wasm"),
		ValidArgsFunction: oneFile("wasm"),
	}
	o.model = choose(c, "model", "count costs by this model", append(wasm.Models(), wasm.ModelCustom)...)
	o.model.value = wasm.Presets[0].Name
	f := c.Flags()
	f.StringArrayVar(&o.costs, "cost", nil, "an instruction of this class costs N: `CLASS=N`; may be given several times")
	f.StringArrayVar(&o.loops, "loop", nil, "the loop at `FILE:LINE=N` or 'offset 0xHEX=N' turns at most N times each time "+
		"that it is entered; may be given several times")
	f.BoolVar(&o.shown.Functions, "functions", false, "list the functions: number, bytes, worst case, loops")
	f.BoolVar(&o.shown.Blocks, "blocks", false, "list the basic blocks: offset in the image, cost, line, calls")
	json := files.file(f, "json", "write everything as JSON to `F`")
	c.RunE = func(c *cobra.Command, args []string) error {
		return withJSON(c, &files, json, args, func() (textAndJSON, error) { return o.inspect(c.Context(), args[0]) })
	}
	return c
}

// inspectHeapBytes is the heap at which memory is collected at once: ABI.md states 1 GiB for all, with an image's own data.
const inspectHeapBytes = 400 << 20

func (o *inspectFlags) inspect(ctx context.Context, image string) (textAndJSON, error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(inspectHeapBytes))
	turns, err := firmware.ParseTurns(o.loops)
	if err != nil {
		const remedy = "give it as --loop sdk/starloom.h:340=4, or as --loop 'offset 0x1a5=4' of an image without lines"
		return nil, &starloom.InputError{Place: "--loop", Reason: err.Error(), Remedy: remedy}
	}
	cost, err := firmware.ParseCosts(o.costs)
	if err != nil {
		return nil, &starloom.InputError{Place: "--cost", Reason: err.Error(), Remedy: "classes are " + strings.Join(wasm.ClassNames(), ", ")}
	}
	if o.model.value == wasm.ModelCustom && len(cost) == 0 {
		return nil, &starloom.InputError{
			Place: "--model", Reason: "the model custom without costs", Remedy: "add --cost load=3, and more such; what is left out costs 1",
		}
	}
	view, err := firmware.View(ctx, image, o.model.value, cost, turns, o.shown)
	var none *wasm.NoLoopError
	var unread *fs.PathError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return view, err
	case errors.As(err, &none):
		loops := cmp.Or(strings.Join(none.Loops, ", "), "no place: leave it out")
		return nil, &starloom.InputError{Place: "--loop", Reason: err.Error(), Remedy: "there are such at " + loops}
	case errors.As(err, &unread):
		return nil, input.Unreadable(image, err, firmware.RemedyOfUnread(image, image, firmware.Programs(), err))
	}
	return nil, &starloom.InputError{Place: image, Reason: err.Error()} // it says what to do
}
