package input

import "fmt"

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
