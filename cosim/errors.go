package cosim

import (
	"context"
	"errors"
	"os/exec"

	"starloom/traces/input"
)

// ToolError says that a program that Starloom runs has failed, hung or was killed: a
// compiler, a converter or a simulator. Neither the RTL nor Starloom is known to be at
// fault. The command line ends with exit status 4.
type ToolError = input.ToolError

// RemedyTool is what helps when a tool ends by a signal.
const RemedyTool = "try again with more memory free; if it fails again, the tool has a fault: see whether it accepts the source by itself"

// remedySimulator is the remedy for a simulator that ends by a signal or does not answer after accepting the RTL.
const remedySimulator = "run it again with more memory free, and see that nothing else ends it (a limit, another program)"

// Stopped is the error of a tool that did not end by itself: the context's, or a ToolError for a signal; else nil.
func Stopped(ctx context.Context, tool, place string, err error) error {
	var exit *exec.ExitError
	var late *ToolError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &late):
		return err
	case errors.As(err, &exit) && !exit.Exited():
		return &ToolError{Tool: tool, Place: place, Reason: "was stopped: " + exit.Error(), Remedy: RemedyTool, Err: err}
	}
	return nil
}

// InputError says that something the user gave cannot be used: where it is, what
// is wrong with it and what to do.
type InputError = input.Error

// WithInclude ends remedies that name a directory of sources; a map has a key for it.
const WithInclude = "with -I"
