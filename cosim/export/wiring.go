package export

import (
	"fmt"

	"starloom/hw"
)

// Wiring connects the parts of a machine according to the descriptions of their ports.
type Wiring struct {
	Sites   []*hw.Site
	drivers map[hw.Line]output
	glue    map[hw.Line]hw.Expression
}

// output is a port of an element; the fields are indices.
type output struct{ site, element, port int }

// New connects the parts. It returns an error if two outputs drive the same line, or if a line and its port differ in
// width.
func New(sites []*hw.Site) (*Wiring, error) {
	w := &Wiring{Sites: sites, drivers: map[hw.Line]output{}, glue: map[hw.Line]hw.Expression{}}
	for s, site := range sites {
		for _, glue := range site.Glue {
			w.glue[glue.Line] = glue.From
		}
		for p := range site.Ports {
			port := &site.Ports[p]
			if port.Input || port.Lines == nil {
				continue
			}
			for element := range site.Elements {
				if err := w.drive(output{s, element, p}); err != nil {
					return nil, err
				}
			}
		}
	}
	return w, nil
}

func (w *Wiring) drive(at output) error {
	site := w.Sites[at.site]
	port, path := &site.Ports[at.port], site.Path(at.element)
	for _, line := range port.Lines(at.element) {
		if other, ok := w.drivers[line]; ok {
			return fmt.Errorf("%s: %s drives a line of %s", path, port.Name, w.Sites[other.site].Path(other.element))
		}
		if line.Bits != port.Bits {
			return fmt.Errorf("%s: %s has %d bits, but its line has %d", path, port.Name, port.Bits, line.Bits)
		}
		w.drivers[line] = at
	}
	return nil
}

// Refusal is an input that cannot be exported.
type Refusal struct {
	Path, Port string
	Reason     string
}

// Refusals returns the inputs that cannot be exported: no description names their driver, the widths differ, or the
// driver has no Verilog twin.
func (w *Wiring) Refusals() (all []Refusal) {
	for _, site := range w.Sites {
		for p := range site.Ports {
			port := &site.Ports[p]
			if !port.Input || port.Outside {
				continue
			}
			for element := range site.Elements {
				if reason := w.refuse(port, element); reason != "" {
					all = append(all, Refusal{site.Path(element), port.Name, reason})
				}
			}
		}
	}
	return all
}

// from returns the expression of an input. Lines driven by glue are replaced by the expressions of the glue.
func (w *Wiring) from(port *hw.Port, element int) hw.Expression {
	return w.resolved(port.From(element))
}

func (w *Wiring) resolved(e hw.Expression) hw.Expression {
	if glue, ok := w.glue[e.Line]; ok && e.Kind == hw.ExpressionLine && e.Low == 0 && e.Bits == glue.Bits {
		return w.resolved(glue)
	}
	of := make([]hw.Expression, len(e.Of))
	for i := range e.Of {
		of[i] = w.resolved(e.Of[i])
	}
	e.Of = of
	return e
}

func (w *Wiring) refuse(port *hw.Port, element int) (reason string) {
	if port.From == nil {
		return "its driver is not described"
	}
	from := w.from(port, element)
	if from.Bits != port.Bits {
		return fmt.Sprintf("it has %d bits, but its driver has %d", port.Bits, from.Bits)
	}
	from.Lines(func(line hw.Line) {
		if _, ok := w.drivers[line]; !ok && reason == "" {
			reason = fmt.Sprintf("its driver %s has no Verilog twin", line.Wire.Path())
		}
	})
	return reason
}
