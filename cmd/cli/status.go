package cli

import (
	"context"
	"errors"
	"os/exec"
	"syscall"

	"starloom"
)

const (
	statusPass        = 0
	statusFail        = 1
	statusInput       = 2
	statusFault       = 3
	statusTool        = 4
	statusBounded     = 5   // a proof for some cycles, or an exploration of some slots
	statusUndecided   = 6   // an undecided proof or exploration
	statusHungUp      = 129 // SIGHUP, by the convention of shells
	statusInterrupted = 130 // SIGINT or SIGTERM; the convention for SIGINT
)

// errFailed means that a report with verdict fail was printed.
var errFailed = errors.New("fail")

// errBounded means that a proof is limited to some cycles, and errUndecided that it has no result.
var (
	errBounded   = errors.New("equal up to some cycles")
	errUndecided = errors.New("undecided")
)

// errTool means that a report was printed for a run that a failing tool ended.
var errTool = errors.New("a tool failed")

// errRefused means that the printed table contains rejected input.
var errRefused = errors.New("refused")

// errInterrupted means that the report of an interrupted run was printed.
var errInterrupted = errors.New("interrupted")

var errHungUp = errors.New("SIGHUP")

func interruptedBy(ctx context.Context) int {
	if errors.Is(context.Cause(ctx), errHungUp) {
		return statusHungUp
	}
	return statusInterrupted
}

type faultError struct{ error }

func (e faultError) Unwrap() error { return e.error }

// fault marks errors of the library as faults, except invalid input, interruption and file errors of the operating
// system.
func fault(err error) error {
	var input *starloom.InputError
	var system syscall.Errno
	if err == nil || toolFailed(err) || errors.As(err, &input) || errors.As(err, &system) ||
		errors.Is(err, context.Canceled) {
		return err
	}
	return faultError{err}
}

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// toolFailed reports whether an external program failed. An exec.ExitError represents a program that was killed by a
// signal.
func toolFailed(err error) bool {
	var tool *starloom.ToolError
	var exit *exec.ExitError
	return errors.As(err, &tool) || errors.As(err, &exit) && !exit.Exited()
}
