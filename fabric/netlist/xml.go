package netlist

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"starloom/traces/input"
)

type element struct {
	name   string // without its namespace
	place  string
	given  map[string]string // attributes
	text   string            // between elements, without space around it
	inside []*element
}

// readElements reads an XML file as a tree; what the file is called stands in places.
func readElements(file string, data []byte) (*element, error) {
	in := xml.NewDecoder(bytes.NewReader(data))
	whole := &element{place: file + ":1:1"}
	open := []*element{whole}
	for {
		line, column := in.InputPos()
		token, err := in.Token()
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, place: fmt.Sprintf("%s:%d:%d", file, line, column), given: map[string]string{}}
			for _, a := range token.Attr {
				e.given[a.Name.Local] = a.Value
			}
			last.inside, open = append(last.inside, e), append(open, e)
		case xml.EndElement:
			last.text = strings.TrimSpace(last.text)
			open = open[:len(open)-1]
		case xml.CharData:
			last.text += string(token)
		}
		var syntax *xml.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return whole, nil
		case errors.As(err, &syntax):
			return nil, &input.Error{Place: fmt.Sprintf("%s:%d", file, syntax.Line), Reason: "not XML: " + syntax.Msg, Remedy: "correct the syntax"}
		case err != nil:
			return nil, &input.Error{Place: fmt.Sprintf("%s:%d", file, line), Reason: "not XML: " + err.Error(), Remedy: "write it in UTF-8"}
		}
	}
}

func (e *element) all(name string) (found []*element) {
	for _, inside := range e.inside {
		if inside.name == name {
			found = append(found, inside)
		}
	}
	return found
}
