package cosim

import (
	"context"
	"errors"
	"os/exec"

	"starloom/traces/input"
)

// ToolError reports that an external program failed, hung or was killed: a compiler, a converter or a simulator. The
// cause need not be the RTL or Starloom. The command line exits with status 4.
type ToolError = input.ToolError

// RemedyTool is the remedy for a tool that a signal ended.
const RemedyTool = "free some memory and try again; if the tool fails again, it is faulty: check whether it " +
	"accepts the source by itself"

// remedySimulator is the remedy for a simulator that a signal ended, or that stopped answering after it had accepted
// the RTL.
const remedySimulator = "free some memory and run it again; make sure that nothing else ends it (a limit, another " +
	"program)"

// Stopped returns the context's error, or a ToolError if a signal has ended the tool. Otherwise it returns nil.
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

// InputError reports unusable input from the user: its place, the reason and a remedy.
type InputError = input.Error

// WithInclude is the end of a remedy that suggests a directory of sources. Pin maps replace it by one of their keys.
const WithInclude = "with -I"
