package config

import (
	"fmt"
	"strings"

	"starloom/cosim/pinmap"
	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/internal/meter"
	"starloom/nic"
	"starloom/traces/input"
)

// Config is an elaborated scenario: nothing is left open. A machine is built from it, and only reads it.
type Config struct {
	Name     string // of the scenario, in reports and traces
	Seed     uint64
	Network  fabric.Network // with what its program wants
	Workload fabric.Workload
	Traffic  *traffic.Spec // of Workload.Traffic, nil for none
	Rules    fabric.Rules
	FinishBy uint64         // cycles of Rules.FinishBy, 0 for none
	Faults   []fabric.Fault // empty for none
	Slots    uint32         // after which a run that is not done fails
	Timing   nic.Timing
	NIC      NIC
	Firmware Firmware
	RTL      []RTL
	VCD      Wave
	PerPort  bool // a packet capture has an interface for each port, not for each NIC
	Known    Known
	Source   Source
}

// Bare reports whether there is no firmware: processors are sources and sinks of packets, at routers.
func (c *Config) Bare() bool {
	f := &c.Firmware
	return fabric.RoutersOf(c.Network) != nil && !fabric.Slotted(c.Network) && f.Program == nil && f.Path == "" && f.Bytes == nil
}

// Checked lists the rules that a run is held to. Without firmware nothing is asked of handlers, and who waits for whom is not known of RTL.
func (c *Config) Checked() (names []string) {
	if !c.Bare() {
		return c.Rules.Checked()
	}
	names = []string{fabric.RuleFinishes}
	if len(c.RTL) == 0 {
		names = append(names, fabric.RuleDeadlock)
	}
	names = append(names, c.Rules.OfPackets()...)
	if c.FinishBy > 0 {
		names = append(names, fabric.RuleFinishBy)
	}
	if c.Rules.Credits {
		names = append(names, fabric.RuleCredits)
	}
	return names
}

// NIC is the size of a NIC: largest payload of a frame in bytes, depth of each port's FIFOs in frames.
type NIC struct{ PayloadBytes, RxFrames, TxFrames int }

// Firmware is what the processors run.
type Firmware struct {
	Program  *fabric.Program // nil for an image of the user's
	Name     string          // in reports: the program's, or the image's file name
	Image    string          // as the scenario names it, for remedies
	Path     string          // of the image, as seen from the working folder; "" if no file is read
	Bytes    []byte          // the image itself, if no file is read
	Params   map[string]int64
	Schedule string     // that it takes, "" for none
	Mode     string     // ModeBanked or ModeIsolated
	CPU      *meter.CPU // nil: handlers take no time
}

// Isolated reports whether every processor has an instance of its own.
func (f *Firmware) Isolated() bool { return f.Mode == ModeIsolated }

// RTL is RTL in the place of components: a twin, or what a pin map attaches.
type RTL struct {
	Replace string // a path, or a pattern of paths
	Twin    string // "" for that of whatever is replaced
	Map     string // path of a pin map, as seen from the working folder; "" for none
	Backend string
	PinMap  *pinmap.Map // in the place of Map
}

// Wave is what a waveform shows: the signals that match, all for none, in a window of cycles.
type Wave struct {
	Signals       []string
	From, To      uint64 // To 0: the end of the run
	Triggered     bool   // at the first violation
	Before, After uint64 // cycles around it
}

// Known is what is known of the program, whatever a run brings: for reports.
type Known struct {
	Notes        []string // which of many runs this is, and what is known of the program on a network of this size
	SlotsPerStep int      // of the algorithm, 1 if unknown
	Carries      bool     // the firmware routes the workload's packets: an image says so by its rules. Others use the fabric for something else
}

// Source is where a Config is from: what errors, traces and hints name.
type Source struct {
	Place    func(path string) string // where the value of a key stands, e.g. link.phit_bits
	Refusal  func(err error) error    // gives what a network refuses its place
	Values   int                      // in the scenario's file
	Hash     func() string            // of the scenario
	Identity func() string            // of the scenario without seed and image
	Library  func() pinmap.Library    // twins and backends of RTL

	With    func(program string, params map[string]int64) (*Config, error) // the same with another program, or other parameters of it
	Smaller func(by int) (c *Config, key string, value int)                // the same with a network that is less by so much in its only size; nil for none

	RunOne                   string // options that RunCommand needs for this run: of its seed, of its permutation
	RunCommand, CheckCommand string // command lines that repeat a run, and compare its RTL with the models; "" for a scenario that is from no file
}

// StatesWorkload reports whether the scenario's file has a workload.
func (s *Source) StatesWorkload() bool {
	if s.Place == nil {
		return false
	}
	place := s.Place("workload") // of a key that the file lacks it is that of its parent, or its own path
	return place != s.Place("") && place != "workload"
}

// Refuse returns an error about the value of a key.
func (s *Source) Refuse(path, reason, remedy string) error {
	return input.Mistake(s.Place(path), reason, remedy)
}

// The values of Firmware.Mode.
const (
	ModeBanked   = "banked"   // one for many processors
	ModeIsolated = "isolated" // one for each processor
)

// KnownAre lists what a fabric brings along, programs or schedules.
func KnownAre(what string, names []string) string {
	switch {
	case len(names) == 0 && what == "program":
		return "this fabric has no program; write image: with firmware of your own"
	case len(names) == 0:
		return fmt.Sprintf("this fabric has no %s; delete the key", what)
	}
	return "known are " + strings.Join(names, ", ")
}

// WorkloadExample is what a workload of each kind can look like.
var WorkloadExample = map[string]string{
	fabric.WorkloadPermutation: "random", fabric.WorkloadOneToAll: "{source: 0}", fabric.WorkloadAllToAll: "{}",
	fabric.WorkloadAdversary: "{slots: 4}", fabric.WorkloadGossip: "{}", fabric.WorkloadScatter: "{origin: 0}",
	fabric.WorkloadTraffic: "{rate: 0.1}",
}
