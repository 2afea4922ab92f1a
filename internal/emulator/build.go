package emulator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/fabric/plant"
	"starloom/fabric/referees"
	"starloom/fabric/stream"
	"starloom/fabric/traffic"
	"starloom/fabric/wired"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/meter"
	"starloom/internal/rtl"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// New builds a machine from a scenario's configuration.
func New(ctx context.Context, c *config.Config, o Options) (*Machine, error) {
	m := &Machine{Stop: new(atomic.Bool)}
	m.Config, m.options, m.Rules, m.timing = c, o, c.Rules, c.Timing
	if c.Firmware.CPU != nil {
		m.Meter = meter.NewClock(c.Firmware.CPU, c.Network.Shape().Processors())
	}
	if err := m.build(ctx); err != nil {
		return nil, errors.Join(err, m.Release())
	}
	return m, nil
}

func (m *Machine) build(ctx context.Context) (err error) {
	c := m.Config
	m.Network, m.Program = c.Network, c.Firmware.Program
	m.Names = m.Network.Names()
	if free := m.Rules.CollisionFree; free != nil {
		m.armed = make([]bool, free.Period)
		for _, slot := range free.Slots {
			m.armed[slot-1] = true
		}
	}
	if c.Bare() { // workers beyond the shards would be idle
		shards := len(hw.Shards(len(fabric.RoutersOf(m.Network).Graph.Ports), hw.RoutersPerShard))
		if m.options.Workers <= 0 {
			m.options.Workers = runtime.GOMAXPROCS(0)
		}
		m.options.Workers, m.options.BankSize = min(m.options.Workers, shards), m.Network.Shape().Processors()
	}
	if m.Shape, err = m.options.choose(m.Network, len(c.RTL) > 0); err != nil {
		return err
	}
	if err := m.checkMemory(); err != nil {
		return err
	}
	if !c.Bare() { // only firmware reads tables
		if m.rom, err = fabric.ROMOf(m.Network, &c.Workload, m.Program); err != nil {
			return c.Source.Refusal(err)
		}
	}
	m.faults = newFaulted(c, m.Shape.Processors())
	m.workers = hw.NewWorkers(m.options.Workers)
	shards := m.Shape.Shards(m.options.BankSize)
	config := m.transportConfig(shards)
	if c.Bare() {
		if err := m.buildBare(ctx, config); err != nil {
			return err
		}
	} else {
		m.Referee = m.referee()
	}
	m.ending, _ = m.Referee.(fabric.Ending)
	m.offering, _ = m.Referee.(fabric.Offering)
	if err := m.checkJudged(); err != nil {
		return err
	}
	if err := m.checkDeadline(); err != nil {
		return err
	}
	if m.bare != nil {
		m.newShards(shards)
	} else if err := m.buildFirmware(ctx, shards); err != nil {
		return interruption(ctx, err)
	}
	if m.states, err = m.newStateRules(); err != nil {
		return err
	}
	if err := m.checkResults(); err != nil {
		return err
	}
	if m.bare != nil {
		m.transport, m.Hardware, m.flying = m.bare, m.bare, m.bare
	} else if fabric.RoutersOf(m.Network) != nil {
		if err := m.buildStream(ctx, config); err != nil {
			return err
		}
	} else if m.options.Engine == EngineCycle {
		if m.Plant, err = plant.New(m.Network, config, m.workers, m.openRTL(ctx)); err != nil {
			return err
		}
		m.transport, m.Hardware = m.Plant, m.Plant
	} else if m.transport, err = wired.TransportOf(m.Network, config); err != nil {
		return err
	}
	m.columns.reset(c.Seed)
	if err := m.load(); err != nil {
		return interruption(ctx, err)
	}
	m.until(context.Background())
	return nil
}

func (m *Machine) buildBare(ctx context.Context, config *fabric.Config) (err error) {
	c := m.Config
	if m.bare, err = stream.NewBare(m.Network, config, m.workers, m.openRTL(ctx)); err != nil {
		if m.RTL != nil {
			return err
		}
		return c.Source.Refuse("fabric."+m.Network.Kind(), err.Error(), "change the network")
	}
	m.Image.Name = outcome.ImageNone
	if m.options.Replay > 0 {
		m.Replay = &replay{processor: m.options.Replay - 1}
	}
	m.Referee = traffic.RefereeOf(c.Traffic, m.Shape.Processors(), m.bare, &m.Rules, c.Slots)
	return nil
}

func (m *Machine) buildStream(ctx context.Context, config *fabric.Config) (err error) {
	var both *stream.Joint
	var s *stream.Stream
	if fabric.Slotted(m.Network) {
		both, err = stream.NewJoint(m.Network, config, m.workers, m.openRTL(ctx))
	} else {
		s, err = stream.New(m.Network, config, m.workers, m.openRTL(ctx))
	}
	switch {
	case err != nil && m.RTL != nil:
		return err
	case err != nil:
		return m.Config.Source.Refuse("fabric."+m.Network.Kind(), err.Error(), "change the network")
	case both != nil:
		m.Plant, m.transport, m.Hardware, m.flying = both.Plant, both, both, both
	default:
		m.transport, m.Hardware, m.flying = s, s, s
	}
	if m.options.Packets && m.offering == nil { // if the host offers packets, the referee logs them
		stream.StreamOf(m.transport).Log()
	}
	return nil
}

// With traffic, all networks share one referee.
func (m *Machine) referee() fabric.Referee {
	c := m.Config
	if c.Traffic == nil {
		return m.Network.Referee(&c.Workload, m.Program)
	}
	return traffic.New(&traffic.Config{Spec: c.Traffic, Network: m.Network, Program: m.Program,
		Rules: &m.Rules, Timing: m.timing,
		Shards: m.Shape.Shards(m.options.BankSize), Log: m.options.Packets, Bank: m.Cell})
}

func (m *Machine) checkJudged() error {
	var keeps []string
	if keeper, ok := m.Referee.(fabric.Keeper); ok {
		keeps = keeper.Keeps()
	}
	for _, rule := range m.Rules.Disciplined() {
		switch {
		// rules about packets, which apply to every network
		case m.offering != nil && (rule == fabric.RuleLatency || rule == fabric.RuleInOrder):
		case slices.Contains(m.Shape.Rules(), rule):
		case slices.Contains(fabric.Streaming{}.Rules(), rule):
			return m.Config.Source.Refuse("rules."+rule,
				fmt.Sprintf("the rule %s applies to packets of traffic, and to processors at routers, whose frames take a "+
					"varying number of cycles", rule),
				"delete it, or write deadline_slots")
		default:
			return m.Config.Source.Refuse("rules."+rule, fmt.Sprintf("the rule %s applies to networks whose NICs have one "+
				"switch to all of their ports", rule),
				"delete it, or use fabric: {bus: ...}")
		}
	}
	for _, rule := range m.Rules.Judged() {
		if !slices.Contains(keeps, rule) {
			return m.Config.Source.Refuse("rules."+rule, fmt.Sprintf("the rule %s cannot be checked: it does not apply to "+
				"this program and workload", rule),
				"delete it, or run the program to which it belongs")
		}
	}
	return nil
}

func (m *Machine) checkResults() error {
	if m.Rules.Results == nil {
		return nil
	}
	names := m.Image.resultNames
	for _, name := range slices.Sorted(maps.Keys(m.Rules.Results.Of)) {
		at := strict.Join("rules.results", name)
		switch {
		case len(names) == 0:
			return m.Config.Source.Refuse(at, fmt.Sprintf("%s names no results", m.Image.Name),
				`write STARLOOM_RESULTS("`+name+`") in its source, and give the result with sl_result`)
		case !slices.Contains(names, name):
			return m.Config.Source.Refuse(at, fmt.Sprintf("%s gives no result %q", m.Image.Name, strict.Clip(name)),
				input.DidYouMean(name, names, "it gives "+strings.Join(names, ", ")))
		}
	}
	return nil
}

func (m *Machine) transportConfig(shards []hw.Shard) *fabric.Config {
	config := &fabric.Config{Timing: m.timing, Sizes: m.Config.NIC, Seed: m.Config.Seed, Shards: shards, Bank: m.Cell,
		Cycle: m.options.Engine == EngineCycle, Workload: &m.Config.Workload, Program: m.Program}
	if m.faults != nil {
		config.Faults = m.faults.plan
	}
	return config
}

// interruption returns the error of ctx if ctx has ended, otherwise err. An interrupted build is not an error of the
// input.
func interruption(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	return err
}

func (m *Machine) newQueues(shards int) *referees.Queues {
	config := referees.QueueConfig{NoLoss: m.Rules.NoLoss}
	config.Spares = m.options.Spares || m.Program != nil && m.Program.Retransmits
	config.Watcher, _ = m.Referee.(referees.QueueWatcher)
	if !m.Config.Known.Carries && m.offering == nil {
		config.Deadline = m.Rules.DeadlineSlots
	}
	if r := fabric.RoutersOf(m.Network); r != nil {
		config.Routed = func(processor int, port uint16) bool { return int(port) < r.NIC.Ports(processor) }
	}
	return referees.NewQueues(m.Names, m.Shape.Processors(), config, shards)
}

// checkDeadline rejects deadline_slots if the run ends with the arrival of the workload. With traffic, it rejects
// packet limits.
func (m *Machine) checkDeadline() error {
	if m.offering != nil && m.Rules.PacketsPerProcessorMax > 0 {
		return m.Config.Source.Refuse("rules."+fabric.RuleHeld,
			"the rule packets_per_processor_max counts one packet of each processor, but with traffic each has many",
			"delete it")
	}
	if m.Rules.DeadlineSlots == 0 || m.ending == nil || m.offering != nil {
		return nil
	}
	return m.Config.Source.Refuse("rules."+fabric.RuleDeadline,
		"deadline_slots applies to frames, but this run ends when all items have arrived; finish_by limits its time",
		fmt.Sprintf("write finish_by: %d slots in its place", m.Rules.DeadlineSlots))
}

func (m *Machine) checks() fabric.Checks {
	checks := m.Rules.Checks()
	if m.offering != nil {
		checks.LatencyMax, checks.InOrder = 0, false
	}
	return checks
}

func (m *Machine) openRTL(ctx context.Context) plant.RTL {
	if len(m.Config.RTL) == 0 {
		return nil
	}
	m.RTL = rtl.New(ctx, rtl.Wanted{
		Network: m.Network, Names: m.Names, Entries: m.Config.RTL, Source: &m.Config.Source, InPlace: m.options.RTL,
	})
	return m.RTL
}
