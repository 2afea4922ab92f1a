package emulator

import (
	"context"
	"fmt"
	"math"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/fabric/traffic"
	"starloom/firmware"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/nic"
	"starloom/traces/input"
)

func (m *Machine) buildFirmware(ctx context.Context, shards []hw.Shard) error {
	config := *m.bankConfig()
	if m.rom != nil {
		config.ROMWords, config.MachineROM = m.rom.Words()
	}
	instantiate, place, err := m.loadImage(ctx, &config)
	if err != nil {
		return err
	}
	if err := m.checkMemory(); err != nil { // checkMemory runs again, now with the size of the image's data
		return err
	}
	m.newShards(shards)
	// The first instance shows the properties of all instances. All workers build the other instances, because the
	// allocation of a million processors' memory takes a large part of a run.
	b := &instanceTask{m: m, config: config, instantiate: instantiate, place: place, errors: make([]error, len(shards))}
	if m.mayPark() {
		if err := m.park(b); err != nil {
			return err
		}
	}
	if m.Parking == nil {
		b.make(0, 1)
	}
	if b.errors[0] == nil {
		bank := m.anyInstance().Bank()
		m.Image.stateBytes, m.Image.listenSlots, m.Image.takesROM = uint64(bank.StateBytes()),
			bank.ListenSlots(), bank.TakesROM
		if m.Image.takesROM && config.ROMWords+config.MachineROM == 0 {
			return input.Mistake(place, fmt.Sprintf("the firmware %s needs a ROM, but this network has none", m.Image.Name),
				"build it without STARLOOM_ROM")
		}
		if err := m.checkFirstSlot(); err != nil {
			return err
		}
		if err := m.checkMemory(); err != nil {
			return err
		}
		if m.Parking == nil {
			m.workers.Run(len(shards), b)
		}
		if m.options.Replay > 0 {
			if err := m.newReplay(config, b.instance); err != nil {
				return err
			}
		}
	}
	for _, err := range b.errors {
		if err != nil {
			return err // error of the first shard, independent of the order of workers
		}
	}
	return m.probeVariables(m.options.Probes)
}

func (m *Machine) bankConfig() *nic.BankConfig {
	sizes := m.Config.NIC
	sizes.RxFrames *= m.Shape.Lanes()
	sizes.TxFrames *= m.Shape.Lanes()
	return &nic.BankConfig{
		Processors: m.Shape.Processors(), Shape: m.Shape.Words, Ports: m.Shape.Ports, Sizes: sizes,
		Seed:       firmwareSeed(m.Config.Seed),
		Discipline: m.Shape.NIC(), FirstSlot: m.Config.Firmware.FirstSlot,
	}
}

// checkFirstSlot refuses a number of slot 0 that the firmware's tables cannot follow.
func (m *Machine) checkFirstSlot() error {
	first, columns := m.Config.Firmware.FirstSlot, uint32(max(m.Image.listenSlots, 1))
	const key = "firmware.first_slot"
	switch schedule := m.Config.Firmware.Schedule; {
	case first == 0:
	case schedule != "" && schedule != traffic.Schedule:
		return m.Config.Source.Refuse(key, "the schedule of the firmware begins in slot 0", "delete first_slot")
	case first%columns != 0:
		return m.Config.Source.Refuse(key, fmt.Sprintf("the listening table has %d slots, but first_slot is %d", columns,
			first), fmt.Sprintf("give a multiple of %d", columns))
	}
	return nil
}

func (m *Machine) newShards(shards []hw.Shard) {
	witness := m.Referee.Witness(m.Image.announces)
	if m.auditsHeld() {
		m.held = referees.NewHeld(m.Shape.Processors())
	}
	m.queues = m.newQueues(len(shards))
	m.Shards = make([]Shard, len(shards))
	for i := range m.Shards {
		shard := &m.Shards[i]
		shard.shard = shards[i]
		shard.Ledger = fabric.Ledger{Checks: m.checks(), Shard: i, Referee: m.Referee, Witness: witness}
		if m.held != nil {
			shard.Ledger.Held = m.held
		}
		if m.queues != nil {
			shard.Ledger.Queues = m.queues
		}
		if m.faults != nil {
			shard.Ledger.SetFaults(m.faults.plan)
		}
		shard.collision = func(medium int, cycle uint32) {
			if m.losses != nil {
				shard.met = append(shard.met, metOn{medium, cycle})
			}
			if o := shard.Ledger.Onlooker; o != nil {
				o.Collided(medium, shard.slot)
			}
			if !m.mustNotCollide(shard.slot) {
				return
			}
			shard.Ledger.Find(fabric.Finding{Kind: fabric.FindCollision, Slot: shard.slot, Index: medium, Value: cycle})
		}
	}
}

type instanceTask struct {
	m           *Machine
	config      nic.BankConfig
	instantiate maker
	place       string
	errors      []error // one error per shard
}

func (b *instanceTask) Do(index int) { b.make(index, math.MaxInt) }

func (b *instanceTask) make(index, count int) {
	m, shard := b.m, &b.m.Shards[index]
	first, end := shard.shard.First*m.Shape.PerUnit, shard.shard.End*m.Shape.PerUnit
	cells := end - first
	if m.Config.Firmware.Isolated() {
		cells = 1
	}
	config := b.config
	config.First, config.Cells = first+len(shard.Instances)*cells, cells
	for ; config.First < end && len(shard.Instances) < count; config.First += cells {
		instance, err := b.instance(config)
		if err != nil {
			b.errors[index] = err
			return
		}
		if m.faults != nil {
			m.faults.shrink(instance.Bank())
		}
		shard.Instances = append(shard.Instances, instance)
	}
}

func (b *instanceTask) instance(config nic.BankConfig) (firmware.Instance, error) {
	instance, err := b.instantiate(config)
	if err != nil {
		return nil, b.m.notAttached(b.place, err)
	}
	if takes, wanted := instance.Bank().Schedule != nil, b.m.Config.Firmware.Schedule != ""; takes != wanted {
		return nil, b.m.wrongSchedule(b.place, takes)
	}
	if b.m.options.HandlersWatched {
		return firmware.Watch(instance), nil
	}
	return instance, nil
}

// auditsHeld reports whether the ledgers compare the packets that firmware claims to hold with the frames that it
// sends and receives. This applies only if a rule limits the packets of a processor and the user supplies the
// firmware. Tests cover the claims of built-in programs.
func (m *Machine) auditsHeld() bool {
	return m.Rules.PacketsPerProcessorMax > 0 && (m.Program == nil || m.options.Audit)
}

func (m *Machine) notAttached(place string, err error) error {
	return &input.Error{Place: place, Reason: fmt.Sprintf("the firmware image %s: %v", m.Image.Name, err),
		Remedy: firmware.RemedyOfAttach(err)}
}

func (m *Machine) wrongSchedule(place string, takes bool) error {
	if m.offering != nil {
		return m.Config.Source.Refuse("workload.traffic",
			fmt.Sprintf("the firmware %s accepts no schedule, but packets of traffic reach firmware through the "+
				"schedule", m.Image.Name),
			"include starloom_traffic.h, or use another workload")
	}
	if takes {
		return input.Mistake(place,
			fmt.Sprintf("the firmware %s needs a schedule, but the scenario has none", m.Image.Name),
			"give firmware.schedule: "+config.KnownAre("schedule", m.Network.Abilities().Schedules.Names))
	}
	return m.Config.Source.Refuse("firmware.schedule", fmt.Sprintf("the firmware %s takes no schedule", m.Image.Name),
		"define STARLOOM_SCHEDULE before including starloom.h, or delete schedule")
}

func (m *Machine) park(b *instanceTask) error {
	units := fabric.BlockUnits
	p := &parking{free: map[int][]firmware.Instance{}}
	for i := range m.Shards {
		s := &m.Shards[i]
		for unit := s.shard.First; unit < s.shard.End; unit += units {
			cells := (min(unit+units, s.shard.End) - unit) * m.Shape.PerUnit
			s.blocks = append(s.blocks, block{first: unit * m.Shape.PerUnit, cells: cells})
			for len(p.free[cells]) < m.options.Workers+1 { // one bank more than workers, for show
				config := b.config
				config.First, config.Cells = 0, cells
				instance, err := b.instance(config)
				if err != nil {
					return err
				}
				if !instance.Bank().Parks() || len(instance.Probes()) > 0 {
					for k := range m.Shards[:i+1] {
						m.Shards[k].blocks = nil
					}
					return nil
				}
				p.free[cells] = append(p.free[cells], instance)
			}
		}
	}
	m.Parking = p
	return nil
}
