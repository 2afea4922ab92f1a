package hw

import (
	"fmt"
	"runtime/debug"
)

// Fault is a broken invariant of hardware: a mistake in Starloom, never in what it runs. It
// is the value of the panic, the only one that leaves a phase of a Kernel.
type Fault struct {
	Path  string // of the component, or of one of its elements
	Cycle uint64
	Text  string // what does not hold, with its values
	Stack []byte // of the goroutine that found it, nil outside the phases
}

// Error returns "path: cycle n: text".
func (f *Fault) Error() string {
	if f.Cycle == CycleOfReset {
		return fmt.Sprintf("%s: last cycle of reset: %s", f.Path, f.Text)
	}
	return fmt.Sprintf("%s: cycle %d: %s", f.Path, f.Cycle, f.Text)
}

// Broken panics with a Fault of the current cycle.
func (c *Clock) Broken(path, format string, values ...any) {
	panic(&Fault{Path: path, Cycle: c.cycle, Text: fmt.Sprintf(format, values...)})
}

// broken panics with a Fault whose cycle the kernel knows.
func broken(path, format string, values ...any) {
	panic(&Fault{Path: path, Text: fmt.Sprintf(format, values...)})
}

func (k *Kernel) fault(c Component, value any) *Fault {
	f, ok := value.(*Fault)
	if !ok {
		f = &Fault{Path: c.Path(), Text: fmt.Sprint(value)}
	}
	f.Cycle, f.Stack = k.clock.cycle, debug.Stack()
	return f
}
