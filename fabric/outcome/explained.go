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

// Explained is what a scenario becomes: the value of every key with who has decided it, and what follows
// from them. Its JSON form is stable and versioned.
type Explained struct {
	Schema               int            `json:"schema"` // ExplainedSchema
	Scenario             string         `json:"scenario"`
	Settings             []Setting      `json:"settings"` // in the order of the schema
	Slot                 SlotShape      `json:"slot"`
	Network              NetworkSize    `json:"network"`
	Rules                []string       `json:"rules"`               // names of those that are checked
	Schedule             *ScheduleSize  `json:"schedule,omitempty"`  // nil if the firmware takes none
	Faults               []FaultPlan    `json:"faults,omitempty"`    // in the order of a report
	RTL                  []string       `json:"rtl,omitempty"`       // paths of the components that are RTL
	SlotsMax             uint32         `json:"slots_max"`           // after which a run that is not done fails
	CyclesMax            uint64         `json:"cycles_max"`          // the same in cycles
	TrapCost             uint64         `json:"trap_cost,omitempty"` // of a call of the image, above which it traps; 0 if handlers take no time
	Memory               MemoryEstimate `json:"memory_bytes"`
	Notes                []string       `json:"notes,omitempty"` // what a report notes of the scenario, whatever a run finds
	OneMedium, ManyMedia string         `json:"-"`               // what media are called
	Bare                 bool           `json:"-"`               // no firmware: sources and sinks of packets in the place of processors
}

// ExplainedSchema is the version of the JSON form of Explained. Keys are only added under one version.
const ExplainedSchema = 1

// Setting is the value of one key of a scenario.
type Setting struct {
	Key   string `json:"key"`          // as in errors: link.phit_bits
	Value any    `json:"value"`        // nil for a key that is left out and has no value then
	By    string `json:"by"`           // who has decided it: ByFile, ByOption, ...
	Of    string `json:"of,omitempty"` // file:line:column, the option, the name of the program, the kind of network
}

// SlotShape is the shape of a slot in cycles: the parts, and where the phits are, counted from its first
// cycle.
type SlotShape struct {
	Cycles            int `json:"cycles"`
	ComputeCycles     int `json:"compute_cycles"`
	ArbitrationCycles int `json:"arbitration_cycles"`
	FramePhits        int `json:"frame_phits"` // of one frame with the largest payload...
	Frames            int `json:"frames"`      // ...of which so many may cross a medium one after the other
	PropagationCycles int `json:"propagation_cycles"`
	GuardCycles       int `json:"guard_cycles"`
	FirstPhitCycle    int `json:"first_phit_cycle"` // the first phit is on the transmitter's wire
	LastPhitCycle     int `json:"last_phit_cycle"`  // the last one reaches the receivers
	BoundaryCycle     int `json:"boundary_cycle"`   // the handlers run
}

// NetworkSize is the size of the network and of its NICs. A NIC has lanes, transmitters and receivers: one,
// or one for each port if it sends and hears at all of them in a slot. Each lane has FIFOs.
type NetworkSize struct {
	Kind       string `json:"kind"`
	Processors int    `json:"processors"`
	Units      int    `json:"units"`
	Media      int    `json:"media"`
	Ports      int    `json:"ports"`
	Lanes      int    `json:"lanes"`
	RXFrames   int    `json:"rx_frames"` // of all lanes of a NIC
	TXFrames   int    `json:"tx_frames"`
}

// ScheduleSize is the schedule that the firmware takes.
type ScheduleSize struct {
	Name  string `json:"name"`
	Slots int    `json:"slots"`
}

// FaultPlan is a fault with the number of its targets.
type FaultPlan struct {
	Key         string    `json:"key"` // where it stands in the scenario
	Kind        string    `json:"kind"`
	OnMedia     bool      `json:"on_media"` // else on processors
	Targets     int       `json:"targets"`
	Of          int       `json:"of"`                  // so many processors or media
	Slots       []uint32  `json:"slots,omitempty"`     // when; without them
	From        uint32    `json:"from"`                // every Every-th slot from this one on
	To          *uint32   `json:"to,omitempty"`        // up to that one, nil for the end of the run
	Every       uint32    `json:"every"`               // 1 for all
	Probability float64   `json:"probability"`         // for each target in each of these slots
	Rates       []float64 `json:"rates,omitempty"`     // with --seeds, one after another in its place
	RXFrames    int       `json:"rx_frames,omitempty"` // of FIFOs that are smaller; 0 for as all others
	TXFrames    int       `json:"tx_frames,omitempty"`
}

// MemoryEstimate is about what a process takes that runs the scenario once, in bytes, with its image
// loaded: what a run is refused for if there is less.
type MemoryEstimate struct {
	Slot  uint64 `json:"slot,omitempty"` // in the slot engine; 0 with RTL and for routers, which it does not run
	Cycle uint64 `json:"cycle"`          // in the cycle engine
}

func (e *Explained) WriteJSON(w io.Writer) error { return WriteJSON(w, e) }

// WriteText writes the form for people: a line for each key, then what follows from them.
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

// Text says whom the fault happens to, and when.
func (f *FaultPlan) Text(media string) string {
	return texts.Say("fault plan", struct {
		*FaultPlan
		Media string
	}{f, media})
}

// text is the value as a scenario has it; of a long list only the head.
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

// listText is a value as JSON; of a long list the head, and how many entries it has.
func listText(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("scenario: %v", err)) // only plain data is in it
	}
	text := strings.ReplaceAll(string(data), ",", ", ")
	if reflect.ValueOf(value).Kind() != reflect.Slice || len(text) <= listTextMax {
		return text
	}
	var list []json.RawMessage
	var object map[string]json.RawMessage // a list with names, as nodes of a netlist
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

// Who has decided a value: the values of Setting.By.
const (
	ByFile    = "file"    // the scenario's file, or the file of a workload
	ByOption  = "option"  // an option of the command line: Overrides
	ByDefault = "default" // no one: it is what such a key is if it is left out
	ByProgram = "program" // the program needs it, or brings it: rules, schedule
	ByNetwork = "network" // the network gives what is left open to it, or limits what is given
	ByCaller  = "caller"  // the Go program that has made the scenario
)

//go:embed metrics.yaml
var metrics string

// Meanings says what the keys of reports, the columns of tables and the endings of figures mean.
func Meanings() []meaning.Group { return meaning.Must(metrics) }
