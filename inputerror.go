package starloom

import (
	"starloom/cosim"
	"starloom/traces/input"
)

// InputError says that something the user gave cannot be used: where it is, what
// is wrong with it and what to do. The command line ends with exit status 2.
type InputError = input.Error

// ToolError says that a program that Starloom runs, a compiler, a converter or a
// simulator, has failed, hung or was killed. The command line ends with exit status 4.
type ToolError = cosim.ToolError
