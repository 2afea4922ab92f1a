package traces

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"starloom/traces/input"
)

// Converter is a program that converts an output to a file format that Starloom cannot write. The program reads the
// output from standard input; its last argument is the path of the converted file.
type Converter struct {
	Command   string
	Package   string // Debian package
	Arguments []string
	Head      string               // text before the output
	Instead   string               // advice for users without the program
	Check     func(*os.File) error // checks that the converted file is complete; the error ends the message
}

type conversion struct {
	*Converter
	path    string   // path of the command
	files   []string // paths of written files: first the converted file, then temporary files
	process *exec.Cmd
	input   io.WriteCloser
	said    bytes.Buffer
	ended   error // result, once input is nil
}

// Through makes a converter produce the file. Call it before the first Write.
func (f *File) Through(c *Converter) error {
	path, err := exec.LookPath(c.Command)
	if err != nil {
		return input.Mistake(f.path, c.Command+", which writes such files, is not on the PATH",
			"install the Debian package "+c.Package+", or "+c.Instead)
	}
	if f.temp == "" {
		return input.Mistake(f.path,
			"this is a pipe or a device, but "+c.Command+" needs a file, because it writes the beginning last", c.Instead)
	}
	f.conversion = &conversion{Converter: c, path: path, files: leftovers(f.temp)}
	f.buf.Reset(f.conversion)
	return f.keep(f.conversion.start())
}

// vcd2fst creates the second file while it is running.
func leftovers(temp string) []string { return []string{temp + ".out", temp + ".out.hier"} }

func (c *conversion) start() (err error) {
	c.said.Reset()
	c.process = exec.Command(c.path, append(append([]string{}, c.Arguments...), c.files[0])...)
	c.process.Env = append(os.Environ(), "LC_ALL=C")
	c.process.Stdout, c.process.Stderr = &c.said, &c.said
	c.process.WaitDelay = time.Second
	alone(c.process)
	if c.input, err = c.process.StdinPipe(); err != nil {
		return err
	}
	temporaries.Lock()
	if err = c.process.Start(); err == nil {
		temporaries.converters[c.process] = true
		for _, path := range c.files {
			temporaries.paths[path] = true
		}
	}
	temporaries.Unlock()
	if err != nil {
		c.input, c.ended = nil, c.failed(err)
		return c.ended
	}
	_, err = io.WriteString(c, c.Head)
	return err
}

func (c *conversion) Write(p []byte) (int, error) {
	if c.input == nil {
		return 0, c.ended
	}
	n, err := c.input.Write(p)
	if err != nil { // the converter has ended, and its exit status gives the reason
		if err = c.wait(); err == nil {
			err = errors.New("it ended before its input did")
		}
		c.ended = c.failed(err)
		return n, c.ended
	}
	return n, nil
}

func (c *conversion) wait() error {
	_ = c.input.Close() // the converter's exit status reports unread input
	c.input = nil
	err := c.process.Wait()
	temporaries.Lock()
	delete(temporaries.converters, c.process)
	temporaries.Unlock()
	return err
}

func (c *conversion) finish(to io.Writer) error {
	if c.input == nil {
		return c.ended
	}
	if err := c.wait(); err != nil {
		return c.failed(err)
	}
	file, err := os.Open(c.files[0])
	if err != nil {
		return c.failed(input.WithoutPath(err))
	}
	defer file.Close()
	if err := c.Check(file); err != nil {
		return c.failed(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(to, file)
	return err
}

func (c *conversion) drop() {
	if c.input != nil {
		_ = c.process.Process.Kill() // the converter may have ended
		c.ended = c.wait()           // the output of the converter is not needed
	}
	temporaries.Lock()
	defer temporaries.Unlock()
	for _, path := range c.files {
		delete(temporaries.paths, path)
		_ = os.Remove(path)
	}
}

func (c *conversion) failed(err error) error {
	reason := err.Error()
	if said := strings.Join(strings.Fields(c.said.String()), " "); said != "" {
		reason += fmt.Sprintf(": %.500s", said)
	}
	return &input.ToolError{Tool: c.Command, Reason: reason,
		Remedy: "free memory and disk space, or " + c.Instead, Err: err}
}
