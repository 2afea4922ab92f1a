package icarus

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"starloom/cosim"
)

func traceFile(folder string) (*os.File, error) {
	path := filepath.Join(folder, "trace.vcd")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("a folder for the internals of the RTL: %w", err)
	}
	return file, os.Remove(path)
}

// Trace, Dump, EndTrace and Untraced implement cosim.Tracer.

func (d *device) Trace(w io.Writer) error {
	if d.trace == nil {
		return cosim.ErrUnseen
	}
	d.shown = w
	return d.command(opTrace, 0)
}

func (d *device) Dump(time uint64) error { return d.command(opDump, time) }

func (d *device) EndTrace() error {
	if d.err == nil {
		if err := d.command(opEndTrace, 0); err != nil {
			return err
		}
	}
	if _, err := d.trace.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(d.shown, d.trace)
	return err
}

func (d *device) Untraced() []string { return nil }

func (d *device) command(op op, count uint64) error {
	if d.err != nil {
		return d.err
	}
	return d.settled(d.process.memory.post(op, 0, count))
}
