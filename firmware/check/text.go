package check

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"reflect"
	"text/template"

	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/nic"
)

//go:embed texts.tmpl
var textsSource string

var texts = outcome.NewTexts(textsSource, template.FuncMap{
	"hex":    func(v any) string { return fmt.Sprintf("%#x", reflect.Indirect(reflect.ValueOf(v)).Interface()) },
	"kind":   func(kind uint8) string { return nic.Kind(kind).String() },
	"status": func(status uint8) string { return nic.Status(status).String() },
})

func (r *Report) WriteJSON(w io.Writer) error { return outcome.WriteJSON(w, r) }

func (r *Report) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, texts.Say("check", r))
	return err
}

// Text describes the way to execute.
func (r *Run) Text() string { return texts.Say("run", r) }

// Text describes the write.
func (w *Write) Text() string { return texts.Say("write", w) }

const remedyOwnState = "keep all of a processor's state in its state_t"

// Remedy returns the remedy for the write.
func (w *Write) Remedy() string {
	if w.Grown > 0 {
		return "do not grow the memory during a run: all processors of the bank share it"
	}
	return remedyOwnState
}

// Text describes the call or the steps of the input.
func (in *FuzzInput) Text() string {
	text, later := texts.Say("call", in), 0
	for k := range in.Steps {
		if k > 0 {
			later++
		}
		step := map[string]any{"Step": &in.Steps[k], "Processor": in.Processor, "Later": 0}
		if k == len(in.Steps)-1 || !in.Steps[k].empty() {
			step["Later"], later = later, 0
		}
		text += texts.Say("step", step)
	}
	return text
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func eventPlace(e *firmware.Event) string {
	where := cmp.Or(e.Function, "an unknown function")
	if e.Source != "" {
		where += " at " + e.Source
	}
	return where
}
