package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"starloom/fabric"
	"starloom/fabric/stream"
	"starloom/fabric/traffic"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outcome"
	"starloom/internal/picture"
	"starloom/internal/rtl"
	"starloom/traces"
)

// bareRun is a network of routers without firmware: sources and sinks of packets in the place of processors.
type bareRun struct {
	config  *config.Config
	kernel  *hw.Kernel
	network *hw.RouterNetwork
	packets *traffic.Bare
	seed    uint64
	cut     bool                 // interrupted
	knots   []hw.Knot            // of packets that wait for one another at the end
	loads   *stream.ChannelLoads // once there is a report

	rtl *rtl.Devices // nil for none

	begin   uint64 // the cycle of the state from which it goes on, or 0
	breakOn Break
	paused  string // why it has stopped before its end

	plan    *fabric.Faults // nil for none
	faults  *stream.RouterFaults
	missing []outcome.Violation // credits that were found to be missing

	channels *picture.Channels        // nil if no one looks
	watch    func(cycle uint64) error // who looks at every cycle, between Settle and Latch; nil for no one
	watchErr error                    // the first one, which ends the run
}

// newBareRun builds a network and its packets; end ends its workers and its RTL.
func newBareRun(ctx context.Context, c *config.Config, seed uint64, workers int, inPlace rtl.InPlace) (r *bareRun, end func() error, err error) {
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
		r.faults = stream.NewRouterFaults(c.Network, r.plan, r.network, &c.Timing, len(shards))
	}
	end = func() error {
		pool.Close()
		return r.close()
	}
	components, err := r.components(ctx, c, inPlace)
	if err == nil {
		r.kernel.Add(components...)
		err = r.kernel.Build()
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return r, end, nil
}

// cyclesPerLook is how often a run looks at its context and for credits that are missing, and says how far it is; cyclesPerKnot, how often it
// looks for packets that wait for one another, which ends it.
const cyclesPerLook, cyclesPerKnot = 1 << 10, 1 << 12

// run runs to the last tail, to the limit, or until packets wait for one another.
func (r *bareRun) run(ctx context.Context, progress func(cycles uint64)) {
	r.cycles(ctx, uint64(r.config.Slots), progress)
	r.finish()
}

// finish finds what only the end of a run shows.
func (r *bareRun) finish() {
	r.network.CountHops()
	if !r.cut && !r.network.Done() && r.knots == nil && r.rtl == nil {
		r.knots = r.network.Knots(nil)
	}
	r.missingCredits()
}

// cycles runs up to a cycle as long as something may come, and reports whether the run goes on from there. What it finds, and when, does
// not depend on where it stops, nor on who watches.
func (r *bareRun) cycles(ctx context.Context, end uint64, progress func(cycles uint64)) (goesOn bool) {
	limit := uint64(r.config.Slots)
	for looked := uint64(math.MaxUint64); !r.network.Done() && r.kernel.Cycle() < limit; {
		cycle := r.kernel.Cycle()
		if look := cycle / cyclesPerLook; look != looked {
			if looked = look; ctx.Err() != nil {
				r.cut = true
				return false
			}
			progress(cycle)
		}
		if cycle%cyclesPerLook == 0 {
			r.missingCredits()
		}
		if cycle%cyclesPerKnot == 0 && cycle > 0 && r.rtl == nil { // who waits for whom is known of models
			if !r.network.Still() {
				r.knots = r.network.Knots(nil)
			}
			if r.knots != nil {
				return false
			}
		}
		if cycle >= end || r.breakOn.reached(0, r.missing) != "" {
			return true
		}
		if skip := r.kernel.QuietFor(end - cycle); skip > 0 {
			skip = min(skip, r.nextLook(cycle, end)-cycle)
			if r.network.Still() {
				return false
			}
			if r.watch == nil {
				r.kernel.Skip(skip)
				continue
			}
		}
		if !r.cycle() {
			return false
		}
	}
	return false
}

// nextLook is the next cycle, up to an end, that is looked at even if nothing happens in it.
func (r *bareRun) nextLook(cycle, end uint64) uint64 {
	switch {
	case r.faults != nil && r.faults.LosesCredits():
		return min(end, (cycle/cyclesPerLook+1)*cyclesPerLook)
	case r.network.Flying():
		return min(end, (cycle/cyclesPerKnot+1)*cyclesPerKnot)
	}
	return end
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
	rules = append(rules, r.config.Rules.OfPackets()...)
	if r.config.FinishBy > 0 {
		rules = append(rules, fabric.RuleFinishBy)
	}
	if r.config.Rules.Credits {
		rules = append(rules, fabric.RuleCredits)
	}
	return rules
}

// unended is a run that was not over when it must be.
func (r *bareRun) unended(pending uint64) []outcome.Violation {
	by, cycles := r.config.FinishBy, r.kernel.Cycle()
	if by == 0 || cycles < by || cycles == by && (pending == 0 || r.cut || r.paused != "") {
		return nil
	}
	return []outcome.Violation{{Rule: fabric.RuleFinishBy, Path: r.config.Network.Kind(), Cycle: by, Slot: by,
		Message: fmt.Sprintf("the run was not over after %s", r.config.Rules.FinishBy)}}
}

// report sums up.
func (r *bareRun) report() *outcome.Report {
	c, cycles := r.config, r.kernel.Cycle()
	pending, sent, shown := r.packets.Pending(), uint64(0), r.packets.Shown(cycles)
	for _, at := range r.packets.Sent {
		if at != hw.PacketPending {
			sent++
		}
	}
	report := &outcome.Report{
		Schema: outcome.ReportSchema, Scenario: c.Name, Seed: r.seed, Engine: string(emulator.EngineCycle), Verdict: outcome.VerdictPass,
		Rules: r.rules(), Violations: []outcome.Violation{}, Notes: append(slices.Clip(notes(c)), shown.Notes()...), Cycles: cycles, Slots: cycles,
		Frames: outcome.Frames{Sent: sent, Delivered: uint64(r.packets.Count()) - pending}, Metrics: shown.Metrics(),
		Firmware: outcome.FirmwareReport{Image: outcome.ImageNone}, Digest: r.packets.Digest().String(),
	}
	report.Aside.DigestCovers = "(packets sent and received, and the cycle of each)"
	report.Aside.Command, report.Aside.Known.Limits = c.Source.RunCommand+c.Source.RunOne, shown.Limits(&c.Rules)
	built := fabric.RoutersOf(c.Network)
	r.loads = r.packets.Loads(built)
	traffic.AddLoads(&report.Metrics, built, r.loads, cycles)
	rule, message := fabric.RuleFinishes, ""
	left := fmt.Sprintf("%d of %s not arrived", pending, traces.Plural(uint64(r.packets.Count()), "packet has", "packets have"))
	switch {
	case r.paused != "":
	case r.cut:
		rule, message = outcome.RuleInterrupted, "the run was interrupted"
	case pending > 0 && r.harmed() != "":
		message = left + r.harmed()
	case pending > 0 && r.network.Still():
		message = left + ", and nothing moves any more: they wait for each other (deadlock)"
	case len(r.knots) > 0 && cycles < uint64(c.Slots):
		message = left + ", and some never will while others move: they wait for each other (deadlock)"
	case pending == 0, cycles >= uint64(c.Traffic.Slots()):
		message = shown.Late()
	case pending > 0:
		message = left + " at the limit of " + traces.Plural(uint64(c.Slots), "cycle", "cycles") + ", which stop.slots or --slots sets"
	}
	last := outcome.Violation{Rule: rule, Path: c.Network.Kind(), Cycle: cycles, Slot: cycles, Message: message}
	if len(r.knots) > 0 {
		r.describeDeadlock(&last)
	}
	r.addFaults(report)
	violations := slices.Concat(r.missing, r.judged(), r.unended(pending))
	if message != "" {
		violations = append(violations, last)
	}
	slices.SortStableFunc(violations, func(a, b outcome.Violation) int { return cmp.Compare(a.Cycle, b.Cycle) })
	for _, v := range violations {
		report.Verdict = outcome.VerdictFail
		if report.ViolationsTotal++; outcome.Wants(report.Violations, v.Rule) {
			report.Violations = append(report.Violations, v)
		}
	}
	r.tell(report)
	return report
}

// judged finds what breaks rules of packets.
func (r *bareRun) judged() (found []outcome.Violation) {
	of := fabric.Circumstances{Names: r.config.Network.Names(), Timing: r.config.Timing, Rules: &r.config.Rules}
	r.packets.Judge(&r.config.Rules, r.kernel.Cycle(), func(f fabric.Finding) {
		v := outcome.Violation{Rule: f.Kind.Rule(), Subject: outcome.Subject{Kind: f.Kind, Index: f.Index, Value: f.Value}}
		v.Cycle, v.Path, v.Message = of.Describe(&f)
		v.Slot = v.Cycle
		found = append(found, v)
	})
	return found
}

// describeDeadlock says which packets wait for each other at the end, where and since when.
func (r *bareRun) describeDeadlock(v *outcome.Violation) {
	p, n := r.packets.Packets, r.config.Network
	d := stream.DeadlockOf(n, r.knots, func(i uint32) string {
		return fmt.Sprintf("packet %d (%d to %d, sent in cycle %d)", i, p.Source[i], p.Destination[i], p.Sent[i])
	})
	v.Rule, v.Message, v.Waits = fabric.RuleDeadlock, v.Message+"; "+d.Text, d.Waits
	v.Path, v.Cycle, v.Slot = n.Names().Medium(fabric.RoutersOf(n).Media+d.Link), d.Since, d.Since
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
		if standing := stream.Standing(r.config.Network.Names(), r.network.Standing(nil), r.packetText); standing != "" {
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
