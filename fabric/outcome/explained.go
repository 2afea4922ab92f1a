package outcome

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"starloom/traces/meaning"
)

// Explained holds the value and origin of every key of a scenario, and derived sizes. Its JSON form is stable and
// versioned.
type Explained struct {
	Schema    int           `json:"schema"` // ExplainedSchema
	Scenario  string        `json:"scenario"`
	Settings  []Setting     `json:"settings"` // in the order of the schema
	Slot      SlotShape     `json:"slot"`
	Network   NetworkSize   `json:"network"`
	Rules     []string      `json:"rules"`              // names of the checked rules
	Schedule  *ScheduleSize `json:"schedule,omitempty"` // nil if the firmware uses none
	Faults    []FaultPlan   `json:"faults,omitempty"`   // in the order of a report
	RTL       []string      `json:"rtl,omitempty"`      // paths of the components that are RTL
	SlotsMax  uint32        `json:"slots_max"`          // slots after which an unfinished run fails
	CyclesMax uint64        `json:"cycles_max"`         // SlotsMax in cycles
	// cost at which a call of the image traps; 0 if handlers take no time
	TrapCost             uint64         `json:"trap_cost,omitempty"`
	Memory               MemoryEstimate `json:"memory_bytes"`
	Notes                []string       `json:"notes,omitempty"` // notes on the scenario, independent of a run
	OneMedium, ManyMedia string         `json:"-"`               // nouns for media
	// no firmware: sources and sinks of packets replace processors
	Bare bool `json:"-"`
}

// ExplainedSchema is the version of the JSON form of Explained. A new key does not change the version.
const ExplainedSchema = 1

// Setting is the value of one key of a scenario.
type Setting struct {
	Key   string `json:"key"`          // as in errors: link.phit_bits
	Value any    `json:"value"`        // nil for an absent key without a default
	By    string `json:"by"`           // origin of the value: ByFile, ByOption, ...
	Of    string `json:"of,omitempty"` // file:line:column, option, program or network kind
}

// SlotShape is the shape of a slot in cycles. Positions count from the first cycle of the slot.
type SlotShape struct {
	Cycles            int `json:"cycles"`
	ComputeCycles     int `json:"compute_cycles"`
	ArbitrationCycles int `json:"arbitration_cycles"`
	FramePhits        int `json:"frame_phits"` // number of phits in a frame with the maximum payload
	Frames            int `json:"frames"`      // maximum number of frames on a medium in one slot
	PropagationCycles int `json:"propagation_cycles"`
	GuardCycles       int `json:"guard_cycles"`
	FirstPhitCycle    int `json:"first_phit_cycle"` // the first phit is on the transmitter's wire
	LastPhitCycle     int `json:"last_phit_cycle"`  // the last one reaches the receivers
	BoundaryCycle     int `json:"boundary_cycle"`   // the handlers run
}

// NetworkSize is the size of the network and of its NICs. A NIC has one lane, or one lane per port if it uses all
// ports in a slot. Each lane has a transmitter, a receiver and FIFOs.
type NetworkSize struct {
	Kind       string `json:"kind"`
	Processors int    `json:"processors"`
	Units      int    `json:"units"`
	Media      int    `json:"media"`
	Ports      int    `json:"ports"`
	Lanes      int    `json:"lanes"`
	RXFrames   int    `json:"rx_frames"` // sum over all lanes of a NIC
	TXFrames   int    `json:"tx_frames"`
}

// ScheduleSize is the size of the schedule used by the firmware.
type ScheduleSize struct {
	Name  string `json:"name"`
	Slots int    `json:"slots"`
}

// FaultPlan is a fault and the number of its targets.
type FaultPlan struct {
	Key         string    `json:"key"` // place of the fault in the scenario
	Kind        string    `json:"kind"`
	OnMedia     bool      `json:"on_media"`            // false for a fault of processors
	Receivers   bool      `json:"receivers,omitempty"` // receivers are targets, too
	Targets     int       `json:"targets"`
	Of          int       `json:"of"`                  // number of processors, or of media and receivers
	Slots       []uint32  `json:"slots,omitempty"`     // affected slots; if empty, From, To and Every apply
	From        uint32    `json:"from"`                // first affected slot
	To          *uint32   `json:"to,omitempty"`        // last affected slot, nil for the end of the run
	Every       uint32    `json:"every"`               // distance between affected slots; 1 for every slot
	Probability float64   `json:"probability"`         // probability per target and affected slot
	Rates       []float64 `json:"rates,omitempty"`     // successive probabilities with --seeds
	RXFrames    int       `json:"rx_frames,omitempty"` // depth of the smaller FIFOs; 0 for the normal depth
	TXFrames    int       `json:"tx_frames,omitempty"`
}

// MemoryEstimate is the estimated memory, in bytes, of a process that runs the scenario once, image included. A run
// is rejected if less memory is available.
type MemoryEstimate struct {
	Slot  uint64 `json:"slot,omitempty"` // in the slot engine; 0 with RTL and for routers, which need the cycle engine
	Cycle uint64 `json:"cycle"`          // in the cycle engine
}

func (e *Explained) WriteJSON(w io.Writer) error { return WriteJSON(w, e) }

// WriteText writes a line for each key, then the derived sizes.
func (e *Explained) WriteText(w io.Writer) error {
	var b bytes.Buffer
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i := range e.Settings {
		s := &e.Settings[i]
		fmt.Fprintf(table, "%s\t%s\t%s\n", Printable(s.Key), Printable(s.text()), Printable(s.from()))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	b.WriteByte('\n')
	if _, err := io.WriteString(table, texts.Say("follows", e)); err != nil {
		return err
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Text describes the targets and times of the fault.
func (f *FaultPlan) Text(media string) string {
	return texts.Say("fault plan", struct {
		*FaultPlan
		Media string
	}{f, media})
}

func (s *Setting) text() string {
	if s.Value == nil {
		return "-"
	}
	if word, ok := s.Value.(string); ok && word != "" {
		return word
	}
	return listText(s.Value)
}

const listTextMax = 48

func listText(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("scenario: %v", err)) // plain data
	}
	text := strings.ReplaceAll(string(data), ",", ", ")
	if reflect.ValueOf(value).Kind() != reflect.Slice || len(text) <= listTextMax {
		return text
	}
	var list []json.RawMessage
	var object map[string]json.RawMessage // a list of objects with names, such as nodes of a netlist
	if json.Unmarshal(data, &list) != nil && json.Unmarshal(data, &object) != nil {
		return text
	}
	head := text[:listTextMax]
	return fmt.Sprintf("%s, ... (%d entries)", head[:max(1, strings.LastIndex(head, ", "))], len(list)+len(object))
}

func bareList(value any) string {
	return strings.TrimSuffix(strings.TrimPrefix(listText(value), "["), "]")
}

func (s *Setting) from() string {
	switch s.By {
	case ByFile, ByOption:
		return s.Of
	}
	return strings.TrimSpace(s.By + " " + s.Of)
}

// Origins of a value, for Setting.By.
const (
	ByFile    = "file"    // file of the scenario or of a workload
	ByOption  = "option"  // option of the command line: Overrides
	ByDefault = "default" // default of an absent key
	ByProgram = "program" // requirement or default of the program: rules, schedule
	ByNetwork = "network" // the network supplies or limits the value
	ByCaller  = "caller"  // the Go program that built the scenario
)

//go:embed metrics.yaml
var metrics string

// Meanings returns the meanings of keys of reports, columns of tables and suffixes of figures.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
