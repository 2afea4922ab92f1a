package fabric

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"starloom/traces"
)

// rulesSource is this file: its comments describe keys of a scenario.
//
//go:embed rules.go
var rulesSource string

// Rules are the invariants of a run. Omitted rules are not checked.
type Rules struct {
	// slots in which frames must not collide
	CollisionFree *CollisionFree `json:"collision_free,omitempty"`
	// maximum number of packets held by a processor at the end of a slot
	PacketsPerProcessorMax int `json:"packets_per_processor_max,omitempty" jsonschema:"minimum=1,maximum=254"`
	// every packet arrives exactly once at its destination
	ExactlyOnce bool `json:"exactly_once,omitempty"`
	// every queued frame fits into its TX FIFO and reaches its addressee; a frame without an addressee reaches at
	// least one processor
	NoLoss bool `json:"no_loss,omitempty"`
	// maximum number of slots until arrival: of a packet of the workload from slot 0, of a measured packet of traffic
	// from its creation (without firmware in cycles), of other frames from the slot in which firmware queues them
	DeadlineSlots uint32 `json:"deadline_slots,omitempty" jsonschema:"minimum=1,maximum=4294967294"`
	// latest end of the run, with its unit: 40 slots or 5000 cycles. A run ends when every processor is done and no
	// frame is in flight, or traffic has ended
	FinishBy *Duration `json:"finish_by,omitempty" jsonschema:"minimum=1,maximum=4294967294"`
	// required results of firmware by name: a number, equal (on all processors), distinct, or {min, max}
	Results *ResultRules `json:"results,omitempty"`
	// maximum latency in cycles until the last bits arrive: of a measured packet of traffic from its creation, on
	// every network; of another frame between processors at routers from the first cycle after it was queued
	LatencyMax uint32 `json:"latency_max,omitempty" jsonschema:"minimum=1,maximum=4294967294"`
	// frames from one processor to another arrive in order: packets of traffic in the order of creation, on every
	// network; other frames in the order of queueing, at routers
	InOrder bool `json:"in_order,omitempty"`
	// a frame of gossip carries only items known to its sender
	NoCreation bool `json:"no_creation,omitempty"`
	// a vertex uses one bus in a slot: it listens only to the bus on which it sends
	OneBus bool `json:"one_bus,omitempty"`
	// at most fabric.bus.length vertices use a bus in a slot: they listen, send, or wait for it
	BusLength bool `json:"bus_length,omitempty"`
	// all voters that decide, decide the same
	Agreement bool `json:"agreement,omitempty"`
	// a voter decides for a value of the correct modules or, if their values differ, for a value between the smallest
	// and the largest
	Validity bool `json:"validity,omitempty"`
	// a broadcast reaches every processor in the step given by its algorithm, usually its distance
	ReceiveStep bool `json:"receive_step,omitempty"`
	Deadlock    bool `json:"-"` // set if the network has routers
	MeetsBudget bool `json:"-"` // set by firmware.cpu
	Credits     bool `json:"-"` // set if a fault may lose credits
	// no update of a processor's neurons raises the energy of a Hopfield network
	Energy bool        `json:"energy,omitempty"`
	States []StateRule `json:"-"` // explore.rules
}

func (Rules) Declaration() string { return rulesSource }

// CollisionFree selects slots of a step. Steps repeat every Period slots. Slots count from 1.
type CollisionFree struct {
	// slots per step of the algorithm
	Period int `json:"period" jsonschema:"required,minimum=1,maximum=65535"`
	// slots of a step that must be free of collisions; the first is 1
	Slots []int `json:"slots" jsonschema:"required,minItems=1,uniqueItems=true"`
}

func (CollisionFree) Example() string { return "{period: 1, slots: [1]} for all slots" }

func (CollisionFree) Declaration() string { return rulesSource }

const (
	RuleTrap          = "firmware_trap"             // no handler traps
	RuleFail          = "firmware_fail"             // no handler calls sl_fail
	RuleIllegalSend   = "illegal_send"              // firmware sends only what its NIC accepts
	RuleIllegalListen = "illegal_listen"            // firmware listens only to existing ports
	RuleFinishes      = "finishes"                  // every processor is done before the end of the run
	RuleDeadlock      = "deadlock"                  // packets in routers do not wait for each other forever
	RuleCollisionFree = "collision_free"            // Rules.CollisionFree
	RuleHeld          = "packets_per_processor_max" // Rules.PacketsPerProcessorMax
	RuleExactlyOnce   = "exactly_once"              // Rules.ExactlyOnce
	RuleNoLoss        = "no_loss"                   // Rules.NoLoss
	RuleDeadline      = "deadline_slots"            // Rules.DeadlineSlots
	RuleFinishBy      = "finish_by"                 // Rules.FinishBy
	RuleResults       = "results"                   // Rules.Results
	RuleLatency       = "latency_max"               // Rules.LatencyMax
	RuleInOrder       = "in_order"                  // Rules.InOrder
	RuleNoCreation    = "no_creation"               // Rules.NoCreation
	RuleOneBus        = "one_bus"                   // Rules.OneBus
	RuleBusLength     = "bus_length"                // Rules.BusLength
	RuleReceiveStep   = "receive_step"              // Rules.ReceiveStep
	RuleAgreement     = "agreement"                 // Rules.Agreement
	RuleValidity      = "validity"                  // Rules.Validity
	RuleEnergy        = "energy"                    // Rules.Energy
	RuleMeetsBudget   = "meets_budget"              // a handler ends within the compute window
	RuleCredits       = "credits"                   // no credit between routers is lost
	RuleLateLight     = "late_light"                // no light reaches receivers in the last guard cycle of a slot
)

// Checked returns the names of the checked rules: those of every run, then those of Rules.
func (r *Rules) Checked() []string {
	names := append([]string{RuleTrap, RuleFail, RuleIllegalSend, RuleIllegalListen, RuleFinishes}, given(
		ruleGiven{RuleDeadlock, r.Deadlock}, ruleGiven{RuleCollisionFree, r.CollisionFree != nil},
		ruleGiven{RuleHeld, r.PacketsPerProcessorMax > 0}, ruleGiven{RuleExactlyOnce, r.ExactlyOnce},
		ruleGiven{RuleNoLoss, r.NoLoss}, ruleGiven{RuleDeadline, r.DeadlineSlots > 0},
		ruleGiven{RuleFinishBy, r.FinishBy != nil},
		ruleGiven{RuleResults, r.Results != nil}, ruleGiven{RuleLatency, r.LatencyMax > 0}, ruleGiven{RuleInOrder, r.InOrder},
		ruleGiven{RuleMeetsBudget, r.MeetsBudget}, ruleGiven{RuleCredits, r.Credits})...)
	for _, name := range []string{RuleNever, RuleAfter} {
		if slices.ContainsFunc(r.States, func(s StateRule) bool { return s.Name() == name }) {
			names = append(names, name)
		}
	}
	return append(append(names, r.Switched()...), r.Judged()...)
}

type ruleGiven struct {
	name  string
	given bool
}

func given(rules ...ruleGiven) (names []string) {
	for _, r := range rules {
		if r.given {
			names = append(names, r.name)
		}
	}
	return names
}

// Limits maps the names of the rules to their limits as text.
func (r *Rules) Limits() map[string]string {
	limits := map[string]string{}
	if r.DeadlineSlots > 0 {
		limits[RuleDeadline] = traces.Plural(uint64(r.DeadlineSlots), "slot", "slots")
	}
	if r.PacketsPerProcessorMax > 0 {
		limits[RuleHeld] = traces.Plural(uint64(r.PacketsPerProcessorMax), "packet", "packets")
	}
	if r.FinishBy != nil {
		limits[RuleFinishBy] = r.FinishBy.String()
	}
	if r.Results != nil {
		limits[RuleResults] = r.Results.String()
	}
	if r.LatencyMax > 0 {
		limits[RuleLatency] = traces.Plural(uint64(r.LatencyMax), "cycle", "cycles")
	}
	for i := range r.States {
		name := r.States[i].Name()
		if limits[name] != "" {
			limits[name] += "; "
		}
		limits[name] += r.States[i].String()
	}
	if c := r.CollisionFree; c != nil {
		list := make([]string, len(c.Slots))
		for i, slot := range c.Slots {
			list[i] = ordinal(slot)
		}
		limits[RuleCollisionFree] = fmt.Sprintf("the %s of the %d slots of each step", strings.Join(list, ", "), c.Period)
		if c.Period == 1 {
			limits[RuleCollisionFree] = "every slot"
		}
	}
	return limits
}

// Checks returns the rules that ledgers check.
func (r *Rules) Checks() Checks {
	return Checks{
		HeldMax: r.PacketsPerProcessorMax, ExactlyOnce: r.ExactlyOnce, NoLoss: r.NoLoss, LatencyMax: r.LatencyMax,
		InOrder: r.InOrder, NoCreation: r.NoCreation,
		ReceiveStep: r.ReceiveStep, OneBus: r.OneBus, BusLength: r.BusLength,
	}
}

// OfPackets returns the rules for single packets of traffic, on every network.
func (r *Rules) OfPackets() []string {
	return given(ruleGiven{RuleDeadline, r.DeadlineSlots > 0}, ruleGiven{RuleLatency, r.LatencyMax > 0},
		ruleGiven{RuleInOrder, r.InOrder})
}

// Disciplined returns the checked rules that only networks of certain disciplines support.
func (r *Rules) Disciplined() []string {
	return append(r.Switched(), given(ruleGiven{RuleLatency, r.LatencyMax > 0}, ruleGiven{RuleInOrder, r.InOrder})...)
}

var switchedRules = []string{RuleOneBus, RuleBusLength}

// Switched returns the checked rules about the switch of a NIC (discipline Switched).
func (r *Rules) Switched() []string {
	return given(ruleGiven{RuleOneBus, r.OneBus}, ruleGiven{RuleBusLength, r.BusLength})
}

// Judged returns the checked rules that only some referees support.
func (r *Rules) Judged() []string {
	return given(ruleGiven{RuleReceiveStep, r.ReceiveStep}, ruleGiven{RuleNoCreation, r.NoCreation},
		ruleGiven{RuleAgreement, r.Agreement},
		ruleGiven{RuleValidity, r.Validity}, ruleGiven{RuleEnergy, r.Energy})
}

// Checks are the rules checked by ledgers.
type Checks struct {
	HeldMax     int  // packets per processor, 0 for no limit
	ExactlyOnce bool // a packet arrives once, at its destination
	NoLoss      bool
	LatencyMax  uint32 // maximum latency in cycles of a frame between processors at routers, 0 for no limit
	InOrder     bool   // frames between processors at routers keep their order
	NoCreation  bool   // a frame of gossip carries only items known to its sender
	OneBus      bool   // a sending processor listens only to the bus on which it sends
	BusLength   bool   // no bus has too many processors
	ReceiveStep bool   // a broadcast reaches a processor in the processor's planned step
}
