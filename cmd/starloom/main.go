package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"starloom"
	"starloom/hw"
	"starloom/traces"
)

// The exit statuses.
const (
	statusPass        = 0
	statusFail        = 1
	statusInput       = 2
	statusFault       = 3
	statusTool        = 4
	statusHungUp      = 129 // by SIGHUP, as shells say it
	statusInterrupted = 130 // by SIGINT or SIGTERM: as shells say it of SIGINT
)

func main() {
	status := execute(os.Args[1:], os.Stdout, os.Stderr)
	if status == statusFault {
		traces.RemoveTemporaries()
	}
	os.Exit(status)
}

// errFailed says that a report with the verdict fail was printed.
var errFailed = errors.New("fail")

// errTool says that a report was printed of a run that a tool's failure has ended.
var errTool = errors.New("a tool failed")

// errInterrupted says that a report on an interrupted run was printed.
var errInterrupted = errors.New("interrupted")

// errHungUp is why a context ends on SIGHUP.
var errHungUp = errors.New("SIGHUP")

// interruptedBy is the exit status of a command that was interrupted.
func interruptedBy(ctx context.Context) int {
	if errors.Is(context.Cause(ctx), errHungUp) {
		return statusHungUp
	}
	return statusInterrupted
}

// faultError is an error that the user's input does not explain.
type faultError struct{ error }

func (e faultError) Unwrap() error { return e.error }

// fault marks errors of the library that are neither bad input nor an
// interruption nor the operating system's word on a file.
func fault(err error) error {
	var input *starloom.InputError
	var system syscall.Errno
	if err == nil || toolFailed(err) || errors.As(err, &input) || errors.As(err, &system) || errors.Is(err, context.Canceled) {
		return err
	}
	return faultError{err}
}

// toolFailed reports whether a program that Starloom runs is to blame. Go's own type
// stands for those that a signal has ended.
func toolFailed(err error) bool {
	var tool *starloom.ToolError
	var exit *exec.ExitError
	return errors.As(err, &tool) || errors.As(err, &exit) && !exit.Exited()
}

// execute runs one command line and returns the exit status.
func execute(args []string, stdout, stderr io.Writer) int {
	return protect(stderr, func() int {
		ctx, stop := interruptible(context.Background(), stderr)
		defer stop()
		root := newRoot()
		root.SetArgs(args)
		root.SetOut(stdout)
		root.SetErr(stderr)
		err := root.ExecuteContext(ctx)
		if err != nil && ctx.Err() != nil && !errors.Is(err, errFailed) && !errors.Is(err, errInterrupted) {
			err = ctx.Err() // whatever else was said of tools and files that were given up
		}
		if status := report(err, stderr); status != statusInterrupted {
			return status
		}
		return interruptedBy(ctx)
	})
}

// orderlyEnd is how long a command may take to end in order once it was interrupted:
// to stop handlers and simulators, to print what it has and to finish its files.
const orderlyEnd = 1500 * time.Millisecond

// interruptible returns a context that the first interrupt ends, so that the command
// ends in order. One that does not, or a second interrupt, ends the process, whatever
// it is doing, without leaving temporary files behind. SIGHUP interrupts, too, but for
// commands that nohup has started.
func interruptible(parent context.Context, stderr io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		var late <-chan time.Time
		for {
			select {
			case <-done:
				return
			case heard := <-signals:
				if heard == syscall.SIGHUP {
					cancel(errHungUp)
				}
				cancel(nil)
				if late == nil {
					late = time.After(orderlyEnd)
					continue
				}
			case <-late:
			}
			traces.RemoveTemporaries()
			fmt.Fprintln(stderr, "starloom: interrupted; no files were written")
			os.Exit(interruptedBy(ctx))
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// protect turns a panic into a message and exit status 3: Go itself would end
// with 2, which means bad input here.
func protect(stderr io.Writer, run func() int) (status int) {
	defer func() {
		if value := recover(); value != nil {
			stack := debug.Stack()
			if f, ok := value.(*hw.Fault); ok && f.Stack != nil {
				stack = f.Stack // of the worker
			}
			fmt.Fprintf(stderr, "starloom: this is a fault of Starloom, not of your input: %v\n"+
				"please report it with the command line, the scenario and what follows\n\n%s", value, stack)
			status = statusFault
		}
	}()
	return run()
}

// report prints an error with what to do about it, and returns the exit status.
func report(err error, stderr io.Writer) int {
	var input *starloom.InputError
	var failure faultError
	switch {
	case err == nil:
		return statusPass
	case errors.Is(err, errFailed):
		return statusFail
	case errors.Is(err, errTool):
		return statusTool
	case errors.As(err, &input):
		// The place comes first, so that editors and terminals can jump to it.
		fmt.Fprintln(stderr, input)
		return statusInput
	case errors.Is(err, errInterrupted):
		return statusInterrupted
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "starloom: interrupted")
		return statusInterrupted
	case toolFailed(err):
		fmt.Fprintln(stderr, err)
		return statusTool
	case errors.As(err, &failure):
		fmt.Fprintf(stderr, "starloom: this is a fault of Starloom, not of your input: %v\nplease report it with the command line and the scenario\n", err)
		return statusFault
	}
	fmt.Fprintf(stderr, "starloom: %v\n", err)
	return statusInput
}
