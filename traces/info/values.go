package info

import (
	"bufio"
	"fmt"
	"io"

	"starloom/traces/input"
	"starloom/traces/vcd"
)

// ValuesOptions select the values to print.
type ValuesOptions struct {
	// Signals are patterns (vcd.Pattern) of printed signals; nil selects all.
	Signals []string
	// From and To are the first and last time; nil selects the first or last time of the file.
	From, To *vcd.Duration
	// Interrupted is called regularly; its error ends the reading.
	Interrupted func() error
}

// Values writes the value changes of signals in a waveform, one per line: time, signal, value. With From, the values
// at time From come first. Memory grows with the number of signals, not with the file's length.
func Values(path string, o ValuesOptions, w io.Writer) error {
	if o.Signals == nil {
		o.Signals = []string{"**"}
	}
	patterns, err := vcd.CompilePatterns(o.Signals, "--only")
	if err != nil {
		return err
	}
	r, err := vcd.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	p := valuePrinter{reader: r, to: bufio.NewWriter(w), names: map[vcd.NetID][]string{}}
	for i := range r.Header().Vars {
		v := &r.Header().Vars[i]
		if !patterns.Match(v.Path) {
			continue
		}
		if p.names[v.Net] == nil {
			p.nets = append(p.nets, v.Net)
		}
		p.names[v.Net] = append(p.names[v.Net], v.Path)
	}
	if len(p.nets) == 0 {
		return input.Mistake(r.Name(), "no signal matches "+o.Signals[0], r.NamesRemedy())
	}
	if err := r.Watch(p.nets); err != nil {
		return err
	}
	if err := p.run(&o); err != nil {
		return err
	}
	return p.to.Flush()
}

type valuePrinter struct {
	reader *vcd.Reader
	to     *bufio.Writer
	nets   []vcd.NetID // nets in the file's order
	names  map[vcd.NetID][]string
}

func (p *valuePrinter) run(o *ValuesOptions) error {
	r, began := p.reader, o.From == nil
	for steps := 0; r.Next(); steps++ {
		next := r.Duration(r.NextTime())
		if !began && o.From.Before(next) {
			began = true
			p.print(*o.From, p.nets)
		}
		if o.To != nil && o.To.Before(next) {
			return nil
		}
		changed, err := r.Step()
		if err != nil {
			return err
		}
		switch {
		case began:
			p.print(next, changed)
		case !next.Before(*o.From): // exactly at From
			began = true
			p.print(next, p.nets)
		}
		if steps%checkEvery == 0 && o.Interrupted != nil {
			if err := o.Interrupted(); err != nil {
				return err
			}
		}
	}
	if !began && r.Err() == nil { // no later changes
		p.print(*o.From, p.nets)
	}
	return r.Err()
}

// the final Flush reports a failed write
func (p *valuePrinter) print(at vcd.Duration, nets []vcd.NetID) {
	for _, id := range nets {
		for _, name := range p.names[id] {
			_, _ = fmt.Fprintf(p.to, "%v\t%s\t%s\n", at, input.Printable(name), input.Printable(p.reader.Value(id).String()))
		}
	}
}
