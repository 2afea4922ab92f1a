package outcome

import (
	"fmt"

	"starloom/firmware"
	"starloom/traces"
)

// ImageNone is the image of a network without firmware.
const ImageNone = "none"

// FirmwareReport names the firmware and summarises its cost.
type FirmwareReport struct {
	Image  string `json:"image"`  // program name or the image's file name
	SHA256 string `json:"sha256"` // SHA-256 of the image in hexadecimal; "" for Runtime "native"
	Traps  uint64 `json:"traps"`  // number of trapped processors

	// names of the firmware's results, starting with word 0
	Results []string `json:"results,omitempty"`

	// Mode is ModeBanked or ModeIsolated. Trusted means that processors share an instance, so a handler could write
	// another processor's data, which CheckFirmware detects.
	Mode    string `json:"mode,omitempty"`
	Trusted bool   `json:"trusted,omitempty"`

	// Cost of handlers, if firmware.cpu has a model.
	CPU    string         `json:"cpu,omitempty"`    // model of the processor
	Cycles *HandlerCycles `json:"cycles,omitempty"` // cost of slot handlers
	// cost of start handlers, including those after restarts; they have no budget
	StartCycles  *HandlerCycles `json:"start_cycles,omitempty"`
	BudgetCycles uint64         `json:"budget_cycles,omitempty"` // length of the compute window, 0 for none
	Overruns     *uint64        `json:"overruns,omitempty"`      // number of slot-handler calls that missed their slot

	Stack *StackReport `json:"stack,omitempty"` // stacks of the processors, for programs for RISC-V

	// BytesPerProcessor is the memory of a sleeping processor in bytes, registers and state, in a machine that parks
	// processors; otherwise 0.
	BytesPerProcessor int `json:"bytes_per_processor,omitempty"`
}

// StackReport summarises how deep the stacks of a program for RISC-V have become: the bytes from the lowest stack
// pointer to the end of the stack.
type StackReport struct {
	Max       uint64 `json:"max"`             // bytes of the deepest stack
	Processor uint64 `json:"processor"`       // the first with such a stack
	Path      string `json:"path"`            // of that processor
	Limit     uint64 `json:"limit,omitempty"` // firmware.cpu.stack

	// in networks with at most 65,536 processors
	MaxPerProcessor []uint32 `json:"max_per_processor,omitempty"`
}

func (s *StackReport) text() string {
	text := traces.Plural(s.Max, "byte", "bytes")
	if s.Limit > 0 {
		text = fmt.Sprintf("%d of %s", s.Max, traces.Plural(s.Limit, "byte", "bytes"))
	}
	return fmt.Sprintf("%s (%s)", text, s.Path)
}

// NoteChecked warns that the costs were measured with a checked image.
const NoteChecked = "the firmware is " + firmware.CheckedText

func firmwareText(f FirmwareReport) string {
	text := Printable(f.Image)
	if len(f.SHA256) >= 12 {
		text += ", sha256 " + f.SHA256[:12]
	}
	if f.Traps > 0 {
		text += fmt.Sprintf(", %d trapped", f.Traps)
	}
	if f.BytesPerProcessor > 0 {
		text += fmt.Sprintf(", %d bytes for each sleeping processor", f.BytesPerProcessor)
	}
	return text
}

func (f *FirmwareReport) handlerRows(row func(name, value string)) {
	if f.Stack != nil {
		row("deepest stack", f.Stack.text())
	}
	if f.Cycles == nil {
		return
	}
	row("handlers", fmt.Sprintf("slot, cycles (%s): %s", f.CPU, f.Cycles.text()))
	if f.Cycles.Calls > 0 {
		row("", f.Cycles.slowestText())
	}
	if w := f.Cycles.Worst; w != nil && w.Profile != nil {
		rows(row, "longest call", w.Profile.rows())
	}
	start := "start: " + f.StartCycles.text()
	if f.Overruns != nil {
		start += "; it has no budget"
	}
	row("", start)
	if f.Overruns != nil {
		row("", fmt.Sprintf("budget %s: %s", traces.Plural(f.BudgetCycles, "cycle", "cycles"),
			traces.Plural(*f.Overruns, "overrun", "overruns")))
	}
}

func modeText(f *FirmwareReport) string {
	if f.Trusted {
		return f.Mode + ": not checked that a processor's firmware writes only its own records"
	}
	return f.Mode
}
