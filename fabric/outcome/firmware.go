package outcome

import (
	"fmt"

	"starloom/firmware"
	"starloom/traces"
)

// ImageNone is the image of a network without firmware.
const ImageNone = "none"

// FirmwareReport says which firmware ran, and how many processors trapped.
type FirmwareReport struct {
	Image  string `json:"image"`  // program name or the image's file name
	SHA256 string `json:"sha256"` // of the image, in hex; "" for Runtime "native"
	Traps  uint64 `json:"traps"`  // processors that trapped

	// Results are the names of the firmware's results, from word 0 on.
	Results []string `json:"results,omitempty"`

	// Mode is ModeBanked or ModeIsolated. Trusted says that processors share an instance, so that
	// nothing but trust keeps a handler from what is another's: CheckFirmware looks.
	Mode    string `json:"mode,omitempty"`
	Trusted bool   `json:"trusted,omitempty"`

	// What handlers took, if firmware.cpu has a model.
	CPU          string         `json:"cpu,omitempty"`           // the model
	Cycles       *HandlerCycles `json:"cycles,omitempty"`        // of the slot handlers
	StartCycles  *HandlerCycles `json:"start_cycles,omitempty"`  // of the start handlers, after restarts, too; they have no budget
	BudgetCycles uint64         `json:"budget_cycles,omitempty"` // the compute window, if there is one
	Overruns     *uint64        `json:"overruns,omitempty"`      // calls of slot handlers that took longer and missed their slot

	// BytesPerProcessor is what a processor takes while it sleeps, registers and state, in a
	// machine of so many that only those which are called have a bank; else 0.
	BytesPerProcessor int `json:"bytes_per_processor,omitempty"`
}

// NoteChecked is about costs only.
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
		text += fmt.Sprintf(", %d bytes for each processor that sleeps", f.BytesPerProcessor)
	}
	return text
}

func (f *FirmwareReport) handlerRows(row func(name, value string)) {
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
		row("", fmt.Sprintf("budget %s: %s", traces.Plural(f.BudgetCycles, "cycle", "cycles"), traces.Plural(*f.Overruns, "overrun", "overruns")))
	}
}

// modeText says how processors share instances, "" if the report does not know.
func modeText(f *FirmwareReport) string {
	if f.Trusted {
		return f.Mode + ": on trust, a processor's firmware writes only its own records"
	}
	return f.Mode
}
