package cosim

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// ToolError says that a program that Starloom runs has failed, hung or was killed: a
// compiler, a converter or a simulator. Neither the RTL nor Starloom is known to be at
// fault. The command line ends with exit status 4.
type ToolError struct {
	Tool   string // "clang++", "vvp"
	Place  string // what it was working on: "arbiter.v: arbiter"
	Reason string // how it ended
	Remedy string
	Err    error // may be nil
}

// Error returns "place: tool: reason; remedy".
func (e *ToolError) Error() string {
	text := fmt.Sprintf("%s: %s", e.Tool, e.Reason)
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns Err.
func (e *ToolError) Unwrap() error { return e.Err }

// RemedyTool is what helps when a tool ends by a signal.
const RemedyTool = "try again with more memory free; if it fails again, the tool has a fault: see whether it accepts the source by itself"

// remedySimulator is what helps when a simulator that has accepted the RTL ends by a
// signal or does not answer.
const remedySimulator = "run it again with more memory free, and see that nothing else ends it (a limit, another program)"

// Stopped returns the error of a tool that did not end by itself: the context's, or a
// ToolError for a signal. It is nil for a tool that ended with a status of its own.
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
		return &ToolError{tool, place, "was stopped: " + exit.Error(), RemedyTool, err}
	}
	return nil
}
