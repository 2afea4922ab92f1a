package firmware

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
	"starloom/traces"
)

// Overview describes an image, including a static analysis.
type Overview struct {
	Info
	Model  string            `json:"model"`                 // cost table of the analysis
	Costs  map[string]uint32 `json:"costs"`                 // cost per instruction class
	Given  map[string]int64  `json:"costs_given,omitempty"` // costs that differ from the model's
	Turns  wasm.Turns        `json:"turns_given,omitempty"`
	Static *wasm.Static      `json:"static"`

	shown Shown
}

// Shown selects the lists in the text of an overview. JSON contains all.
type Shown struct{ Functions, Blocks bool }

// View is Inspect with a static analysis. Costs come from wasm.Table; turns are trusted.
func View(ctx context.Context, path, model string, cost map[string]int64, turns wasm.Turns,
	shown Shown) (*Overview, error) {
	binary, err := findImage(path)
	if err != nil {
		return nil, err
	}
	var costs wasm.Costs
	program := rv32.Is(binary)
	if program {
		model, err = coreOf(model)
	} else {
		costs, err = wasm.Table(model, cost)
	}
	if err != nil {
		return nil, err
	}
	info, err := InspectImage(ctx, path, binary)
	if err != nil {
		return nil, err
	}
	if program {
		if binary, _, err = translate(binary, &wasm.Meter{Core: model}); err != nil {
			return nil, err
		}
	}
	static, err := wasm.Analyse(binary, costs, turns)
	return &Overview{info, model, costs.ByName(), cost, turns, static, shown}, err
}

// coreOf returns the core for a model, which counts instructions by default.
func coreOf(model string) (string, error) {
	if model == wasm.Models()[0] {
		model = rv32.Instructions().Model
	}
	_, err := rv32.NewCore(model, nil)
	return model, err
}

// turnsMax is the maximum number of turns that a 32-bit local can count.
const turnsMax = 1 << 32

// ParseCosts parses texts of the form CLASS=N with different classes.
func ParseCosts(texts []string) (map[string]int64, error) {
	costs := map[string]int64{}
	for _, text := range texts {
		class, cost, found := strings.Cut(text, "=")
		n, err := strconv.ParseInt(cost, 10, 64)
		if !found || err != nil {
			return nil, fmt.Errorf("%q is not CLASS=N", text)
		}
		if _, twice := costs[class]; twice {
			return nil, fmt.Errorf("%s is given twice", class)
		}
		var table wasm.Costs
		if err := table.Set(class, n); err != nil {
			return nil, err
		}
		costs[class] = n
	}
	return costs, nil
}

// ParseTurns parses texts of the form FILE:LINE=N or "offset 0xHEX=N" with different places.
func ParseTurns(texts []string) (wasm.Turns, error) {
	turns := wasm.Turns{}
	for _, text := range texts {
		at := strings.LastIndexByte(text, '=')
		if at <= 0 {
			return nil, fmt.Errorf("%q is not FILE:LINE=N or 'offset 0xHEX=N'", text)
		}
		n, err := strconv.ParseUint(text[at+1:], 10, 64)
		if err != nil || n < 1 || n > turnsMax {
			return nil, fmt.Errorf("a loop cannot iterate %q times; allowed: 1 to %d", text[at+1:], uint64(turnsMax))
		}
		if _, twice := turns[text[:at]]; twice {
			return nil, fmt.Errorf("%s is given twice", text[:at])
		}
		turns[text[:at]] = n
	}
	return turns, nil
}

// WriteJSON writes the overview as JSON.
func (v *Overview) WriteJSON(w io.Writer) error { return traces.WriteJSON(w, v) }

// WriteText writes a summary and the selected lists.
func (v *Overview) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	v.Info.write(t)
	v.summary(t)
	v.handlers(t)
	if v.shown.Functions {
		v.functions(t)
	}
	if v.shown.Blocks {
		v.blocks(t)
	}
	return t.Flush()
}

func (v *Overview) summary(t io.Writer) {
	s := v.Static
	code, indirect := 0, []string(nil)
	for _, f := range s.Functions {
		code += f.Bytes
		for _, place := range f.Indirect {
			indirect = append(indirect, f.Name+" at "+place.String())
		}
	}
	fmt.Fprintf(t, "functions\t%d, %d bytes of code\n", len(s.Functions), code)
	fmt.Fprintf(t, "imports\t%s\n", cmp.Or(strings.Join(s.Imports, ", "), "none"))
	var names []string
	for _, export := range s.Exports {
		name, _, _ := strings.Cut(export, "(")
		names = append(names, name)
	}
	fmt.Fprintf(t, "exports\t%s\n", strings.Join(names, ", "))
	for _, m := range s.Memories {
		most := ""
		if m.Most != nil {
			most = fmt.Sprintf(", at most %d", *m.Most)
		}
		fmt.Fprintf(t, "memory\t%s of 64 KiB%s\n", traces.Plural(int(m.Start), "page", "pages"), most)
	}
	bytes := 0
	for _, segment := range s.Data {
		bytes += segment.Bytes
	}
	fmt.Fprintf(t, "data\t%d bytes in %s\n", bytes, traces.Plural(len(s.Data), "segment", "segments"))
	if len(s.Globals) > 0 {
		fmt.Fprintf(t, "globals\t%s\n", some(s.Globals))
	}
	for _, entries := range s.Tables {
		fmt.Fprintf(t, "table\troom for %s\n", traces.Plural(int(entries), "function", "functions"))
	}
	if len(indirect) > 0 {
		fmt.Fprintf(t, "indirect\tcalls through a table: %s\n", some(indirect))
	}
}

func (v *Overview) handlers(t io.Writer) {
	given := ""
	for _, class := range slices.Sorted(maps.Keys(v.Given)) {
		given += fmt.Sprintf(", %s %d", class, v.Given[class])
	}
	if given != "" {
		given = " with" + given[1:]
	}
	fmt.Fprintf(t, "worst case\tof a call, by the model %s%s; starloom_start and starloom_slot for one processor\n",
		v.Model, given)
	for _, h := range v.Static.Handlers {
		condition := ""
		if h.Given {
			condition = ", if the loops iterate no more often than --loop states"
		}
		fmt.Fprintf(t, "  %s\t%s%s\n", h.Name, costText(h.WorstCase), condition)
		for k, reason := range h.Unbounded {
			if k == listShown && !v.shown.Functions {
				fmt.Fprintf(t, "\t  and %d more: --functions lists all\n", len(h.Unbounded)-k)
				break
			}
			fmt.Fprintf(t, "\t  %s\n", reason)
		}
	}
	if slices.ContainsFunc(v.Static.Handlers, func(h wasm.Handler) bool { return h.OpenLoops }) {
		fmt.Fprintln(t, "\t  --loop states the number of turns of the loop at such a place; --help --all explains the "+
			"loops of starloom.h")
	}
}

func (v *Overview) functions(t io.Writer) {
	fmt.Fprintln(t, "\nfunction\tnumber\tbytes\tworst case\tat\tloops")
	for _, f := range v.Static.Functions {
		worst := costText(f.WorstCase)
		if f.Recursive {
			worst = "recursive"
		}
		var loops []string
		for _, l := range f.Loops {
			turns := "any number of turns"
			if l.Turns > 0 {
				turns = traces.Plural(int(l.Turns), "turn", "turns")
				if l.Given {
					turns += " (--loop)"
				}
			}
			each := "without a bound"
			if l.Turn != nil {
				each = fmt.Sprintf("of at most %d", *l.Turn)
			}
			loops = append(loops, fmt.Sprintf("%s: %s %s", l.Place, turns, each))
		}
		if loops == nil {
			loops = []string{""}
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\n", f.Name, f.Index, f.Bytes, worst, f.Source, loops[0])
		for _, l := range loops[1:] {
			fmt.Fprintf(t, "\t\t\t\t\t%s\n", l)
		}
	}
}

func (v *Overview) blocks(t io.Writer) {
	fmt.Fprintln(t, "\nblock\toffset\tcost\tat\tcalls")
	for _, f := range v.Static.Functions {
		for k, b := range f.Blocks {
			fmt.Fprintf(t, "%s %d\t%#x\t%s\t%s\t%s\n", f.Name, k, b.Offset, costText(b.Cost), b.Source,
				strings.Join(b.Calls, ", "))
		}
	}
}

func costText(cost *uint64) string {
	if cost == nil {
		return "no bound"
	}
	return fmt.Sprint(*cost)
}
