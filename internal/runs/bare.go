package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/internal/picture"
	"starloom/internal/record"
	"starloom/internal/rtl"
	"starloom/traces"
	"starloom/traces/input"
)

// bareRun is a network of routers without firmware: sources and sinks of packets in the place of processors.
type bareRun struct {
	config  *config.Config
	kernel  *hw.Kernel
	network *hw.RouterNetwork
	packets *traffic.Bare
	seed    uint64
	cut     bool      // interrupted
	knots   []hw.Knot // of packets that wait for one another at the end
	flits   []uint64  // of each link, those of packets that have arrived

	rtl *rtl.Devices // nil for none

	plan    *fabric.Faults // nil for none
	faults  *fabric.RouterFaults
	missing []outcome.Violation // credits that were found to be missing

	channels *picture.Channels        // nil if no one looks
	watch    func(cycle uint64) error // who looks at every cycle, between Settle and Latch; nil for no one
	watchErr error                    // the first one, which ends the run
}

// newBareRun builds a network and its packets; end ends its workers and its RTL. records: models in the place of RTL, whose inputs
// are kept.
func newBareRun(ctx context.Context, c *config.Config, seed uint64, workers int, records bool) (r *bareRun, end func() error, err error) {
	built := fabric.RoutersOf(c.Network)
	r = &bareRun{config: c, seed: seed}
	if r.packets, err = traffic.NewBare(c.Traffic, len(built.Graph.Nodes), seed); err != nil {
		return nil, nil, c.Source.Refusal(err)
	}
	routers := len(built.Graph.Ports)
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	perShard := hw.RoutersPerShard
	if len(c.RTL) > 0 {
		perShard = routers
	}
	shards := hw.Shards(routers, perShard)
	pool := hw.NewWorkers(max(1, min(workers, len(shards), hw.WorkersMax)))
	r.kernel = hw.NewKernel(pool, shards)
	if len(c.Faults) > 0 {
		r.packets.Harm = make([]uint32, r.packets.Count())
	}
	r.network, err = hw.NewRouterNetwork(c.Network.Kind(), r.kernel.Clock(), built.Config, &built.Graph, built.Routes, r.packets.Packets, shards)
	if err != nil {
		pool.Close()
		return nil, nil, c.Source.Refuse("fabric."+c.Network.Kind(), err.Error(), "change the network")
	}
	if len(c.Faults) > 0 {
		r.plan = fabric.NewFaults(c.Network.Names(), c.Faults, seed)
		r.faults = fabric.NewRouterFaults(c.Network, r.plan, r.network, &c.Timing, len(shards))
	}
	end = func() error {
		pool.Close()
		return r.close()
	}
	components, err := r.components(ctx, c, records)
	if err == nil {
		r.kernel.Add(components...)
		err = r.kernel.Build()
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return r, end, nil
}

// cyclesPerLook is how often a run looks at its context, and says how far it is; cyclesPerKnot, how often it looks for
// packets that wait for one another, which ends it.
const cyclesPerLook, cyclesPerKnot = 1 << 10, 1 << 12

// run runs to the last tail, to the limit, or until packets wait for one another.
func (r *bareRun) run(ctx context.Context, progress func(cycles uint64)) {
	r.cycles(ctx, progress)
	if !r.cut && !r.network.Done() && r.knots == nil && r.rtl == nil {
		r.knots = r.network.Knots(nil)
	}
	r.missingCredits()
	r.flits = r.loads()
}

// cycles runs as long as something may come.
func (r *bareRun) cycles(ctx context.Context, progress func(cycles uint64)) {
	limit, knots, credits := uint64(r.config.Slots), uint64(cyclesPerKnot), uint64(cyclesPerLook)
	for look := uint64(0); !r.network.Done() && r.kernel.Cycle() < limit; {
		if cycle := r.kernel.Cycle(); cycle >= look {
			if look = cycle + cyclesPerLook; ctx.Err() != nil {
				r.cut = true
				return
			}
			progress(cycle)
		}
		if cycle := r.kernel.Cycle(); cycle >= credits {
			credits = (cycle/cyclesPerLook + 1) * cyclesPerLook
			r.missingCredits()
		}
		if cycle := r.kernel.Cycle(); cycle >= knots && r.rtl == nil { // who waits for whom is known of models
			if knots = (cycle/cyclesPerKnot + 1) * cyclesPerKnot; !r.network.Still() {
				r.knots = r.network.Knots(nil)
			}
			if r.knots != nil {
				return
			}
		}
		if skip := r.kernel.QuietFor(limit - r.kernel.Cycle()); skip > 0 {
			if r.network.Still() {
				return
			}
			if r.watch == nil {
				r.kernel.Skip(skip)
				continue
			}
		}
		if !r.cycle() {
			return
		}
	}
}

// notes are those of a configuration, and what is known of its routes.
func notes(c *config.Config) []string {
	if built := fabric.RoutersOf(c.Network); built != nil && built.Shown != "" {
		return append(slices.Clip(c.Known.Notes), built.Shown)
	}
	return c.Known.Notes
}

// rules are what a run is held to: who waits for whom is not known of RTL.
func (r *bareRun) rules() []string {
	rules := []string{fabric.RuleFinishes}
	if r.rtl == nil {
		rules = append(rules, fabric.RuleDeadlock)
	}
	if r.config.Rules.InOrder {
		rules = append(rules, fabric.RuleInOrder)
	}
	if r.config.Rules.Credits {
		rules = append(rules, fabric.RuleCredits)
	}
	return rules
}

// report sums up.
func (r *bareRun) report() *outcome.Report {
	c, cycles := r.config, r.kernel.Cycle()
	pending, sent := r.packets.Pending(), uint64(0)
	for _, at := range r.packets.Sent {
		if at != hw.PacketPending {
			sent++
		}
	}
	report := &outcome.Report{
		Schema: outcome.ReportSchema, Scenario: c.Name, Seed: r.seed, Engine: string(emulator.EngineCycle), Verdict: outcome.VerdictPass,
		Rules: r.rules(), Violations: []outcome.Violation{}, Notes: notes(c), Cycles: cycles, Slots: cycles,
		Frames: outcome.Frames{Sent: sent, Delivered: uint64(r.packets.Count()) - pending}, Metrics: r.packets.Metrics(cycles),
		Firmware: outcome.FirmwareReport{Image: outcome.ImageNone}, Digest: r.packets.Digest().String(),
	}
	report.Aside.DigestCovers = "(packets sent and received, and the cycle of each)"
	report.Aside.Command = c.Source.RunCommand + c.Source.RunOne
	r.addLoads(&report.Metrics)
	rule, message := fabric.RuleFinishes, ""
	left := fmt.Sprintf("%d of %s not arrived", pending, traces.Plural(uint64(r.packets.Count()), "packet has", "packets have"))
	switch {
	case r.cut:
		rule, message = outcome.RuleInterrupted, "the run was interrupted"
	case pending > 0 && r.harmed() != "":
		message = left + r.harmed()
	case pending > 0 && r.network.Still():
		message = left + ", and nothing moves any more: they wait for each other (deadlock)"
	case len(r.knots) > 0 && cycles < uint64(c.Slots):
		message = left + ", and some never will while others move: they wait for each other (deadlock)"
	case pending > 0:
		message = left + " at the limit of " + traces.Plural(uint64(c.Slots), "cycle", "cycles") + ", which stop.slots or --slots sets"
	}
	if len(r.knots) > 0 {
		rule = fabric.RuleDeadlock
		message += r.knot()
	}
	r.addFaults(report)
	violations := slices.Concat(r.missing, r.overtaken())
	slices.SortStableFunc(violations, func(a, b outcome.Violation) int { return cmp.Compare(a.Cycle, b.Cycle) })
	if message != "" {
		violations = append(violations, outcome.Violation{Rule: rule, Path: c.Network.Kind(), Cycle: cycles, Slot: cycles, Message: message})
	}
	for _, v := range violations {
		report.Verdict = outcome.VerdictFail
		if report.ViolationsTotal++; outcome.Wants(report.Violations, v.Rule) {
			report.Violations = append(report.Violations, v)
		}
	}
	r.tell(report)
	r.known(report)
	return report
}

// known notes what the run knows of itself, for its page.
func (r *bareRun) known(report *outcome.Report) {
	k, n := &report.Aside.Known, r.config.Network
	shape := n.Shape()
	noteProcessors(k, n.Names(), shape.Processors())
	k.Means = means(report, n)
	if numbering := processorPaths(n.Names(), &shape); numbering != "" {
		k.Paths = append(k.Paths, numbering)
	}
	if command := report.Aside.Command; command != "" && report.Verdict == outcome.VerdictFail && report.Expect == nil {
		report.Aside.Remedies = []outcome.Remedy{meant(command, "If the run is to show this failure")}
	}
}

// overtaken finds what breaks the rule in_order, packets of one cycle in the order of the file.
func (r *bareRun) overtaken() (found []outcome.Violation) {
	if !r.config.Rules.InOrder {
		return nil
	}
	p, names := r.packets.Packets, r.config.Network.Names()
	order := make(fabric.Order, len(fabric.RoutersOf(r.config.Network).Graph.Nodes))
	for _, packet := range p.Arrived() {
		c := fabric.Came{Serial: uint64(packet), Created: p.Created[packet], Received: p.Received[packet]}
		source, destination := p.Source[packet], p.Destination[packet]
		if before, overtaken := order.Note(source, destination, c); overtaken {
			found = append(found, outcome.Violation{Rule: fabric.RuleInOrder, Path: names.Processor(int(destination)), Cycle: uint64(c.Received),
				Slot: uint64(c.Received), Message: fmt.Sprintf("processor %d: %s", destination, c.Text("packet", "created", source, destination, before)),
				Subject: outcome.Subject{Kind: fabric.FindOvertaken, Index: int(destination), Value: source}})
		}
	}
	return found
}

// knot says which packets wait for each other at the end.
func (r *bareRun) knot() string {
	p := r.packets.Packets
	return fabric.KnotText(r.config.Network, r.knots, func(i uint32) string {
		return fmt.Sprintf("packet %d (%d to %d, sent in cycle %d)", i, p.Source[i], p.Destination[i], p.Sent[i])
	})
}

// refuseBare refuses what routers without firmware do not have.
func (o *Options) refuseBare(c *config.Config) error {
	for _, x := range []struct {
		option string
		asked  bool
	}{
		{"--log", o.Record.Log.Given()}, {"--run-table", o.runTable()}, {"--replay", o.Replay.Given()},
		{"--profile", o.Profile.Given()}, {"--save", o.Save != ""}, {"--restore", o.Restore != ""},
		{"--checkpoint-every", o.CheckpointEvery > 0}, {"--break-on", o.BreakOn != Break{}}, {"--survival", o.survival()},
	} {
		if x.asked {
			return &input.Error{Place: x.option, Reason: "routers with bare packets do not have this yet", Remedy: "delete it; --packets has every packet"}
		}
	}
	if o.Machine.Engine == emulator.EngineSlot {
		return emulator.NoSlots(c.Network, false)
	}
	return nil
}

// runBare runs routers without firmware once.
func runBare(ctx context.Context, c *config.Config, o *Options, out *outputs.Set) (report *outcome.Report, ended error) {
	if err := o.refuseBare(c); err != nil {
		return nil, err
	}
	r, end, err := newBareRun(ctx, c, c.Seed, o.Machine.Workers, false)
	if err != nil {
		return nil, err
	}
	defer func() { ended = errors.Join(ended, end()) }()
	file, err := out.Open("--packets", "packets", o.Packets)
	if err != nil {
		return nil, err
	}
	recorded, err := record.BeginBare(r.recorded(), o.Record, out)
	if err != nil {
		return nil, err
	}
	r.watch = recorded.Watch()
	r.look(o)
	r.run(ctx, func(cycles uint64) {
		if o.Progress != nil {
			o.Progress(Progress{Slots: uint32(cycles), SlotsLimit: c.Slots, Processors: len(r.network.Packets.Source)})
		}
	})
	if r.watchErr != nil {
		return nil, r.watchErr
	}
	if file != nil {
		if err := r.packets.WritePackets(file); err != nil {
			return nil, err
		}
	}
	report = r.report()
	if err := r.separate(ctx, report, o.Machine.Workers); err != nil {
		return nil, err
	}
	if err := r.record(ctx, report, recorded, o.Machine.Workers); err != nil {
		return nil, err
	}
	return report, r.draw(report, o, out)
}

// recorded is what is recorded of the run.
func (r *bareRun) recorded() *record.BareRun {
	return &record.BareRun{Config: r.config, Seed: r.seed, Network: r.network, Packets: r.packets, Begin: r.kernel.Cycle()}
}

// record writes what is recorded when the run has ended, which is repeated for a waveform of its first violation.
func (r *bareRun) record(ctx context.Context, report *outcome.Report, recorded *record.Bare, workers int) (err error) {
	if recorded.Again(report) {
		again, end, err := newBareRun(ctx, r.config, r.seed, workers, false)
		if err != nil {
			return err
		}
		if again.watch, err = recorded.Repeat(again.recorded(), report); err == nil {
			again.run(ctx, func(uint64) {})
			err = again.watchErr
		}
		if err = errors.Join(err, end()); err != nil {
			return err
		}
	}
	return recorded.Finish(r.recorded(), report)
}

// eachBare is Each of routers without firmware, one run after the other.
func (b *Batch) eachBare(ctx context.Context, take func(r *BatchRun, total uint64) error) error {
	for i := range b.total {
		run := b.Numbered(i)
		r, end, err := newBareRun(ctx, b.Config, run.Seed, b.Options.Workers, false)
		if err != nil {
			return err
		}
		r.run(ctx, func(uint64) {})
		run.Report, run.digest, run.Finished = r.report(), r.packets.Digest(), r.network.Done()
		if err := end(); err != nil {
			return err
		}
		if b.about == nil {
			b.about, b.slotCycles = run.Report, 1
		}
		if r.cut {
			return nil
		}
		if err := take(&run, b.total); err != nil {
			return err
		}
	}
	return nil
}

// missingCredits notes the virtual channels of which credits are missing that were not before.
func (r *bareRun) missingCredits() {
	if r.faults == nil || r.rtl != nil {
		return
	}
	for _, l := range r.faults.LostCredits() {
		at := outcome.Subject{Kind: fabric.FindCredit, Index: l.Channel, Value: uint32(l.VC)}
		if slices.ContainsFunc(r.missing, func(v outcome.Violation) bool { return v.Subject == at }) {
			continue
		}
		cycle := r.kernel.Cycle()
		r.missing = append(r.missing, outcome.Violation{Rule: fabric.RuleCredits, Path: r.config.Network.Names().Medium(l.Channel), Cycle: cycle, Slot: cycle,
			Message: r.faults.LostText(&l), Subject: at})
	}
}

// harmed says what faults have done to the packets that have not arrived, "" for nothing.
func (r *bareRun) harmed() (text string) {
	if r.faults == nil {
		return ""
	}
	var dropped, cut uint64
	for i, harm := range r.packets.Harm {
		switch {
		case r.packets.Received[i] != hw.PacketPending:
		case harm&hw.HarmCut != 0:
			cut++
		case harm&hw.HarmDropped != 0:
			dropped++
		}
	}
	if dropped > 0 {
		text = fmt.Sprintf("; faults have dropped %d", dropped)
	}
	if cut > 0 {
		text += fmt.Sprintf("; flits of %s have vanished", traces.Plural(cut, "packet", "packets"))
	}
	if r.rtl == nil {
		if standing := fabric.Standing(r.config.Network.Names(), r.network.Standing(nil), r.packetText); standing != "" {
			text += "; " + standing
		}
	}
	return text
}

// packetText names a packet.
func (r *bareRun) packetText(packet uint32) string {
	p := r.packets.Packets
	return fmt.Sprintf("packet %d (%d to %d, created in cycle %d)", packet, p.Source[packet], p.Destination[packet], p.Created[packet])
}

// addFaults adds what faults have done.
func (r *bareRun) addFaults(report *outcome.Report) {
	if r.faults == nil {
		return
	}
	counts := r.faults.Take(0, uint32(r.kernel.Cycle()))
	for i := range counts {
		kind, count := r.plan.All[i].Kind, &counts[i]
		f := outcome.FaultReport{Kind: fabric.FaultNames[kind], Count: count.Count}
		if count.Count > 0 {
			_, _, path := fabric.FaultTargets(r.config.Network, kind)
			if kind.OnMedia() {
				path = r.config.Network.Names().Link
			}
			f.First = &outcome.FaultFirst{Cycle: uint64(count.Slot), Slot: uint64(count.Slot), Path: path(int(count.Index))}
		}
		report.Faults = append(report.Faults, f)
	}
	report.Frames.Faulted = r.network.Sinks.Dropped()
}

// separate repeats a run with faults that has failed without them: which violations are theirs.
func (r *bareRun) separate(ctx context.Context, report *outcome.Report, workers int) error {
	if r.faults == nil || report.Verdict == outcome.VerdictPass || r.cut || r.rtl != nil {
		return nil
	}
	c := *r.config
	c.Faults, c.Rules.Credits = nil, false
	sound, end, err := newBareRun(ctx, &c, r.seed, workers, false)
	if err != nil {
		return err
	}
	if sound.run(ctx, func(uint64) {}); !sound.cut {
		s := sound.report()
		report.Without = &outcome.WithoutFaults{Verdict: s.Verdict, ViolationsTotal: s.ViolationsTotal, Slots: s.Slots, Frames: s.Frames, Digest: s.Digest}
		outcome.NoteCauses(report, s)
	}
	return end()
}
