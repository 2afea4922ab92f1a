package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"starloom"
	"starloom/fabric"
	"starloom/hw"
	"starloom/traces"
)

// Main runs the command line and exits with its status. Scenarios may also use the given networks
// (starloom.Networks). The main function of a program with its own network only needs to call Main.
func Main(networks ...fabric.Network) {
	status := execute(os.Args[1:], os.Stdout, os.Stderr, networks...)
	if status == statusFault {
		traces.RemoveTemporaries()
	}
	os.Exit(status)
}

func execute(args []string, stdout, stderr io.Writer, networks ...fabric.Network) int {
	return protect(stderr, func() int {
		if err := starloom.Networks(networks).Check(); err != nil {
			return report(err, stderr)
		}
		ctx, stop := interruptible(context.Background(), stderr)
		defer stop()
		root := newRoot(networks...)
		root.SetArgs(args)
		root.SetOut(stdout)
		root.SetErr(stderr)
		err := root.ExecuteContext(ctx)
		if err != nil && ctx.Err() != nil && !errors.Is(err, errFailed) && !errors.Is(err, errInterrupted) {
			err = ctx.Err() // replaces errors of cancelled tools and files
		}
		if status := report(err, stderr); status != statusInterrupted {
			return status
		}
		return interruptedBy(ctx)
	})
}

// orderlyEnd is the time limit, after an interrupt, for stopping handlers and simulators, printing, and finishing
// files.
const orderlyEnd = 1500 * time.Millisecond

// interruptible returns a context that the first interrupt cancels, so that the command ends in an orderly way. After
// a timeout or a second interrupt, the process exits immediately, without temporary files. SIGHUP also interrupts,
// except under nohup.
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

// protect converts a panic to a message and exit status 3. Go's own status 2 would indicate invalid input.
func protect(stderr io.Writer, run func() int) (status int) {
	defer func() {
		if value := recover(); value != nil {
			stack := debug.Stack()
			if f, ok := value.(*hw.Fault); ok && f.Stack != nil {
				stack = f.Stack
			}
			fmt.Fprintf(stderr, "starloom: this is a fault of Starloom, not of your input: %v\n"+
				"please report it with the command line, the scenario and what follows\n\n%s", value, stack)
			status = statusFault
		}
	}()
	return run()
}

func report(err error, stderr io.Writer) int {
	stderr = readable(stderr)
	var mistake *starloom.InputError
	var mistakes *starloom.InputErrors
	var failure faultError
	status := statusInput
	if diskFull(err) {
		status = statusTool
	}
	switch {
	case err == nil:
		return statusPass
	case errors.Is(err, errFailed):
		return statusFail
	case errors.Is(err, errBounded):
		return statusBounded
	case errors.Is(err, errUndecided):
		return statusUndecided
	case errors.Is(err, errTool):
		return statusTool
	case errors.Is(err, errRefused):
		return statusInput
	case errors.As(err, &mistakes):
		fmt.Fprintln(stderr, mistakes)
		return status
	case errors.As(err, &mistake):
		// editors and terminals can jump to a place at the beginning of a line
		fmt.Fprintln(stderr, mistake)
		return status
	case errors.Is(err, errInterrupted):
		return statusInterrupted
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "starloom: interrupted")
		return statusInterrupted
	case toolFailed(err):
		fmt.Fprintln(stderr, err)
		return statusTool
	case errors.As(err, &failure):
		fmt.Fprintf(stderr, "starloom: this is a fault of Starloom, not of your input: %v\nplease report it with the "+
			"command line and the scenario\n", err)
		return statusFault
	}
	text := err.Error()
	if diskFull(err) && !strings.Contains(text, traces.RemedyFull) {
		text += ": " + traces.RemedyFull
	}
	fmt.Fprintf(stderr, "starloom: %s\n", text)
	return status
}
