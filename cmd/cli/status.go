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
	statusBounded     = 5   // of a proof: equal up to some cycles
	statusUndecided   = 6   // of a proof
	statusHungUp      = 129 // by SIGHUP, as shells say it
	statusInterrupted = 130 // by SIGINT or SIGTERM: as shells say it of SIGINT
)

// errFailed says that a report with the verdict fail was printed.
var errFailed = errors.New("fail")

// errBounded and errUndecided say that a proof has ended without having decided everything.
var (
	errBounded   = errors.New("equal up to some cycles")
	errUndecided = errors.New("undecided")
)

// errTool says that a report was printed of a run that a tool's failure has ended.
var errTool = errors.New("a tool failed")

// errRefused says that a table was printed in which input was refused.
var errRefused = errors.New("refused")

// errInterrupted says that a report on an interrupted run was printed.
var errInterrupted = errors.New("interrupted")

var errHungUp = errors.New("SIGHUP")

func interruptedBy(ctx context.Context) int {
	if errors.Is(context.Cause(ctx), errHungUp) {
		return statusHungUp
	}
	return statusInterrupted
}

// faultError is an error that the user's input does not explain.
type faultError struct{ error }

func (e faultError) Unwrap() error { return e.error }

// fault marks errors of the library: neither bad input, interruption nor a file error of the operating system.
func fault(err error) error {
	var input *starloom.InputError
	var system syscall.Errno
	if err == nil || toolFailed(err) || errors.As(err, &input) || errors.As(err, &system) || errors.Is(err, context.Canceled) {
		return err
	}
	return faultError{err}
}

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// toolFailed reports whether a program that Starloom runs is to blame. Go's own type
// stands for those that a signal has ended.
func toolFailed(err error) bool {
	var tool *starloom.ToolError
	var exit *exec.ExitError
	return errors.As(err, &tool) || errors.As(err, &exit) && !exit.Exited()
}
