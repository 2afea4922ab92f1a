// Package config defines elaborated scenarios, in which every default, range, size, plan and rule is decided. A run
// executes a Config, not a file.
//
//	scenario --elaborate--> Config --> emulator, record, runs
package config

import (
	"fmt"
	"strings"

	"starloom/cosim/pinmap"
	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/internal/meter"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// Config is an elaborated scenario. A machine is built from a Config and never modifies it.
type Config struct {
	Name     string // name of the scenario in reports and traces
	Seed     uint64
	Network  fabric.Network // network, adapted to its program
	Workload fabric.Workload
	Traffic  *traffic.Spec
	Rules    fabric.Rules
	FinishBy uint64 // Rules.FinishBy in cycles, 0 for none
	Faults   []fabric.Fault
	Choices  Choices
	Slots    uint32 // limit after which an unfinished run fails
	Timing   nic.Timing
	NIC      NIC
	Firmware Firmware
	RTL      []RTL
	VCD      Wave
	PerPort  bool // a packet capture has an interface per port instead of per NIC
	Known    Known
	Source   Source
}

// Bare reports whether there is no firmware: processors at routers are sources and sinks of packets.
func (c *Config) Bare() bool {
	f := &c.Firmware
	return fabric.RoutersOf(c.Network) != nil && !fabric.Slotted(c.Network) && f.Program == nil &&
		f.Path == "" && f.Bytes == nil
}

// Checked lists the rules that are checked in a run. Rules about handlers require firmware. Deadlock detection
// requires models instead of RTL, because waits inside RTL are unknown.
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

// NIC holds the sizes of a NIC. Each port has its own FIFOs.
type NIC = nic.Sizes

// Firmware is the firmware of the processors.
type Firmware struct {
	Program  *fabric.Program // nil for a user's image
	Name     string          // name in reports: of the program, or of the image file
	Image    string          // image as written in the scenario, for messages
	Path     string          // path of the image relative to the working folder; "" without a file
	Bytes    []byte          // the image, if no file is read
	Params   map[string]int64
	Schedule string // required schedule, "" for none
	Mode     string
	CPU      *meter.CPU // nil: handlers take no time

	FirstSlot uint32 // number that firmware sees in slot 0
}

// Isolated reports whether every processor has a separate instance.
func (f *Firmware) Isolated() bool { return f.Mode == ModeIsolated }

// RTL replaces components by a twin or by other RTL with a pin map.
type RTL struct {
	Replace string // path or pattern of paths
	Twin    string // "" selects the twin of the replaced component
	Map     string // path of a pin map relative to the working folder; "" for none
	Backend string
	PinMap  *pinmap.Map
}

// Wave selects the content of a waveform: the matching signals, or without patterns all signals, in a window of
// cycles.
type Wave struct {
	Signals       []string
	From, To      uint64 // window of cycles; To 0 is the end of the run
	Triggered     bool   // starts at the first violation
	Before, After uint64 // cycles around the violation
}

// Known holds facts about the program for reports. They are equal in all runs of the program.
type Known struct {
	Notes        []string // notes on the number of this run among many, on the program and on the network
	SlotsPerStep int      // number of slots in a step of the algorithm, 1 if unknown
	Carries      bool     // the firmware routes the workload's packets; for an image, according to the rules
}

// Source is the origin of a Config, for errors, traces and hints.
type Source struct {
	Place    func(path string) string // returns the place of a key such as link.phit_bits
	Refusal  func(err error) error    // adds a place to an error of a network
	Values   int                      // number of values in the scenario's file
	Hash     func() string
	Identity func() string // identity of the scenario without seed and image
	Library  func() pinmap.Library

	// returns the Config for another program or other parameters
	With func(program string, params map[string]int64) (*Config, error)
	// Config with the network's only size reduced by a number; nil for a network with several sizes
	Smaller func(by int) (c *Config, key string, value int)

	Provenance *traces.Provenance

	RunOne string // options of RunCommand for this run: seed, permutation
	// command that repeats the run, and command that compares the run's RTL with the models; "" for a scenario
	// without a file
	RunCommand, CheckCommand string
}

// StatesWorkload reports whether the scenario's file contains a workload.
func (s *Source) StatesWorkload() bool {
	if s.Place == nil {
		return false
	}
	place := s.Place("workload") // the place of a missing key is the place of its parent, or the key's own path
	return place != s.Place("") && place != "workload"
}

// Refuse returns an error about the value of a key.
func (s *Source) Refuse(path, reason, remedy string) error {
	return input.Mistake(s.Place(path), reason, remedy)
}

const (
	ModeBanked   = "banked"   // one instance for many processors
	ModeIsolated = "isolated" // one instance per processor
)

// KnownAre lists the programs or schedules of a fabric.
func KnownAre(what string, names []string) string {
	switch {
	case len(names) == 0 && what == "program":
		return "this fabric has no built-in program; write image: and the path of your own firmware"
	case len(names) == 0:
		return fmt.Sprintf("this fabric has no %s; delete the key", what)
	}
	return "known are " + strings.Join(names, ", ")
}

// WorkloadExample has an example for each kind of workload.
var WorkloadExample = map[string]string{
	fabric.WorkloadPermutation: "random", fabric.WorkloadOneToAll: "{source: 0}", fabric.WorkloadAllToAll: "{}",
	fabric.WorkloadAdversary: "{slots: 4}", fabric.WorkloadGossip: "{}", fabric.WorkloadScatter: "{origin: 0}",
	fabric.WorkloadTraffic: "{rate: 0.1}",
}
