package runs

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/traces/input/strict"
)

//go:embed texts.tmpl
var textsSource string

var texts = outcome.NewTexts(textsSource, nil)

type facts map[string]any

// remedy returns a remedy of a kind, an entry of texts.tmpl, with its command. An empty expect keeps the entry's
// expectation.
func remedy(kind, command, expect string, values any) outcome.Remedy {
	m := outcome.Remedy{Step: texts.Steps(kind, values)[0]}
	m.Command, m.Expect = command, cmp.Or(expect, m.Expect)
	return m
}

func meant(command string, faults bool) outcome.Remedy {
	return remedy("meant", command+" --expect fail", "", faults)
}

// remedies lists remedies of a failed run as commands, the most likely first. It tests the remedies whose runs are
// short.
func (r *run) remedies(ctx context.Context) (list []outcome.Remedy) {
	report, command := r.report, r.report.Aside.Command
	if command == "" || len(report.Violations) == 0 {
		return nil
	}
	broke := func(rule string) bool {
		return slices.ContainsFunc(report.Violations, func(v outcome.Violation) bool { return v.Rule == rule })
	}
	if p := r.config.Firmware.Program; p != nil && p.Instead != "" {
		list = append(list, remedy("instead", outcome.WithFirmware(command, p.Name, p.Instead),
			r.withProgram(ctx, p.Instead), p))
	}
	if report.ByFaults() {
		list = append(list, r.withoutFaults(ctx, command)...)
	}
	if broke(fabric.RuleFinishes) && r.report.Aside.Known.Limited != "" &&
		(report.Without == nil || report.Without.Slots >= report.Slots) {
		list = append(append(list, r.moreSlots(ctx, command)), r.shorter(ctx, command)...)
	}
	if slots := report.Aside.Late.Meets(); broke(fabric.RuleDeadline) && slots > 0 {
		list = append(append(list, r.longerDeadline(ctx, command, slots)), r.inTime(ctx, command)...)
	}
	if broke(fabric.RuleDeadlock) {
		list = append(list, r.deeper(ctx, command, fabric.RuleDeadlock)...)
	} else if broke(fabric.RuleNoLoss) && report.Frames.Overflow > 0 {
		list = append(list, r.deeper(ctx, command, fabric.RuleNoLoss)...)
	}
	if f := &report.Firmware; broke(fabric.RuleMeetsBudget) && f.Cycles != nil && f.Cycles.Max > f.BudgetCycles {
		list = append(list,
			remedy("budget", set(command, "firmware.cpu.budget_cycles", fmt.Sprint(f.Cycles.Max)), "", f.Cycles.Max))
	}
	if report.Expect == nil && !report.ByFaults() &&
		slices.ContainsFunc(list, func(m outcome.Remedy) bool { return m.Command != "" }) {
		list = append(list, meant(command, false))
	}
	return list
}

// inTime lists alternatives, then the remedy, for a deadline that the program cannot meet. It returns none if the
// program can meet the deadline.
func (r *run) inTime(ctx context.Context, command string) (list []outcome.Remedy) {
	own, late := r.config.Firmware.Program, r.report.Aside.Late
	least := own.Needed()
	if !late.Packets || uint64(least.Slots) <= late.Deadline {
		return nil
	}
	add := func(m outcome.Remedy) {
		m.Rule = fabric.RuleDeadline
		list = append(list, m)
	}
	if k := &r.report.Aside.Known; k.Check != "" {
		command = k.Check
	}
	write := remedy("no way", "", "", least.Any)
	var keeps *parameter
	if uint64(least.Any) <= late.Deadline {
		programs, unknown := r.otherPrograms(ctx)
		add(programs)
		var tried *outcome.Remedy
		if tried, keeps = r.otherParameters(ctx); tried != nil {
			add(*tried)
		}
		source, file, build := outcome.SourceOf(own.Name)
		write = remedy("write", source, "",
			facts{"Unknown": unknown, "Least": least, "File": file, "Build": build, "Run": outcome.WithOwn(command, own.Name),
				"Check": r.report.Aside.Known.Check, "Deadline": late.Deadline})
	}
	if keeps != nil {
		write = remedy("parameter", set(command, keeps.Key, fmt.Sprint(keeps.Value)), keeps.Left.Expect(), nil)
	}
	if smaller := r.smaller(ctx, command); smaller != nil {
		add(*smaller)
	}
	write.Instead = true
	add(write)
	return list
}

const smallerTries, smallerMost = 4, 4096

// smaller finds the largest smaller network on which the program meets the deadline, nil for none.
func (r *run) smaller(ctx context.Context, command string) *outcome.Remedy {
	if !r.small(r.report.Slots) {
		return nil
	}
	for by, tries := 1, 0; by < smallerMost && tries < smallerTries; by++ {
		c, key, value := r.config.Source.Smaller(by)
		if c == nil {
			return nil
		}
		if uint64(c.Firmware.Program.Needed().Slots) > r.report.Aside.Late.Deadline {
			continue
		}
		tries++
		c.Rules = r.programsRules(r.report.Aside.Known.Unchecked)
		if left := r.try(ctx, c); left != nil && left.Verdict == outcome.VerdictPass {
			m := remedy("smaller", set(command, key, fmt.Sprint(value)), left.Expect(),
				facts{"Key": key, "Value": value, "Program": r.config.Firmware.Program.Name})
			return &m
		}
	}
	return nil
}

// otherPrograms reports on other programs for the workload. unknown lists the programs that may meet the deadline.
func (r *run) otherPrograms(ctx context.Context) (m outcome.Remedy, unknown []string) {
	own := r.config.Firmware.Program
	var slow []string
	for _, p := range r.config.Network.Programs() {
		switch same := slices.ContainsFunc(p.Workloads,
			func(kind string) bool { return slices.Contains(own.Workloads, kind) }); {
		case p.Name == own.Name || !same:
		case uint64(p.Needed().Slots) > r.report.Aside.Late.Deadline:
			slow = append(slow,
				texts.Say("program", facts{"Name": p.Name, "Slots": p.Needed().Slots, "Left": r.tryProgram(ctx, p.Name, nil)}))
		default:
			unknown = append(unknown, p.Name)
		}
	}
	m = remedy("programs", "", "", facts{"Slow": slow, "Unknown": unknown, "Program": own.Name})
	m.Tried = true
	return m, unknown
}

type parameter struct {
	Key   string
	Means string // meaning of the value, "" if undocumented
	Value int64
	Left  *outcome.Left
}

// otherParameters tries the documented values of the program's parameters until a run, with the values in keeps,
// breaks no rule. It reports on all trials, nil for none.
func (r *run) otherParameters(ctx context.Context) (m *outcome.Remedy, keeps *parameter) {
	own, none := r.config.Firmware.Program, r.report.Aside.Late.Deadline
	var tried []parameter
	for _, choice := range own.Params {
		for i, v := range choice.Values {
			params := maps.Clone(r.config.Firmware.Params)
			if params == nil {
				params = map[string]int64{}
			}
			if params[choice.Name] == v || keeps != nil {
				continue
			}
			params[choice.Name] = v
			p := parameter{Key: "firmware.params." + choice.Name, Value: v, Left: r.tryProgram(ctx, own.Name, params)}
			if p.Left == nil {
				continue
			}
			if i < len(choice.Mean) {
				p.Means = choice.Mean[i]
			}
			if tried = append(tried, p); p.Left.Verdict == outcome.VerdictPass {
				keeps, none = &p, 0
			}
		}
	}
	if tried == nil {
		return nil, nil
	}
	said := remedy("parameters", "", "", facts{"Tried": tried, "None": none})
	said.Tried = true
	return &said, keeps
}

// withoutFaults lists the runs without one harmful fault each, the run without all faults, and steps in case the
// faults are intended.
func (r *run) withoutFaults(ctx context.Context, command string) (list []outcome.Remedy) {
	report := r.report
	for k := range report.Aside.Known.Left {
		if report.Faults[k].First != nil && len(report.Faults) > 1 {
			m := remedy("without one", set(command, r.config.Faults[k].Key, "0"), "",
				facts{"Fault": report.FaultName(k), "Left": report.LeftText(&report.Aside.Known.Left[k])})
			m.Tried = true
			list = append(list, m)
		}
	}
	none := set(command, "faults", "{}")
	if w := report.Without; w != nil {
		kind := map[bool]string{true: "fails anyway", false: "not meant"}[w.Verdict == outcome.VerdictFail]
		left := outcome.Left{Verdict: w.Verdict, Violations: w.ViolationsTotal, Slots: w.Slots}
		list = append(list, remedy(kind, none, left.Expect(), nil))
	}
	if report.Expect == nil {
		list = append(list, meant(command, true))
	}
	if r.brokenByFaults(fabric.RuleNoLoss) || r.config.Rules.ReceiveStep && r.brokenByFaults(fabric.RuleExactlyOnce) {
		list = append(list, r.lossless(ctx, command))
	}
	return list
}

func (r *run) brokenByFaults(rule string) bool {
	return slices.ContainsFunc(r.report.Violations, func(v outcome.Violation) bool {
		return v.Rule == rule && v.Cause == outcome.CauseFaults
	})
}

// lossless returns the rules for firmware that retransmits: without no_loss, which judges every frame, and
// receive_step, which judges the first attempt; with exactly_once if packets are carried.
func (r *run) lossless(ctx context.Context, command string) outcome.Remedy {
	c, loses := *r.config, r.brokenByFaults(fabric.RuleNoLoss)
	c.Rules.NoLoss, c.Rules.ReceiveStep = false, false
	c.Rules.ExactlyOnce = c.Rules.ExactlyOnce || loses && r.config.Known.Carries
	program, expect := "", r.expect(r.trySmall(ctx, &c, r.report.Slots))
	passes := strings.HasPrefix(expect, "PASS")
	if p := r.config.Firmware.Program; p != nil && !passes {
		program, command = p.Name, outcome.WithOwn(command, p.Name)
	}
	dead := 0
	if c.Rules.ExactlyOnce {
		dead = len(r.report.Aside.Killed)
	}
	m := remedy("lossless", set(command, "rules", flow(&c.Rules)), "",
		facts{"Loses": loses, "Carries": r.config.Known.Carries,
			"Passes": passes, "Dead": dead, "Program": program, "Expect": expect})
	m.Later = true
	return m
}

func flow(rules *fabric.Rules) string {
	form, err := json.Marshal(rules)
	if err != nil {
		panic(err) // plain data
	}
	return unquoted(string(form))
}

func unquoted(form string) string {
	return strings.NewReplacer(`"`, "", ":", ": ", ",", ", ").Replace(form)
}

func (r *run) withProgram(ctx context.Context, program string) string {
	return r.expect(r.tryProgram(ctx, program, r.config.Firmware.Params)) // nil if the program has other keys
}

// tryProgram tries another program, or other parameters. It returns nil if the run is rejected or too long.
func (r *run) tryProgram(ctx context.Context, program string, params map[string]int64) *outcome.Left {
	c, err := r.config.Source.With(program, params)
	if err != nil {
		return nil
	}
	return r.trySmall(ctx, c, r.report.Slots)
}

// expect returns the expected end of a run. left is the outcome of a trial, or nil.
func (r *run) expect(left *outcome.Left) string {
	return texts.Say("expect", facts{"Left": left, "RTL": r.config.RTL != nil})
}

// longerDeadline returns the smallest deadline that all packets meet, after a check with the program's own rules.
func (r *run) longerDeadline(ctx context.Context, command string, slots uint64) outcome.Remedy {
	c, k := *r.config, &r.report.Aside.Known
	if k.Check != "" {
		command, c.Rules = k.Check, r.programsRules(k.Unchecked)
	}
	c.Rules.DeadlineSlots = uint32(slots)
	return remedy("later", set(command, "rules.deadline_slots", fmt.Sprint(slots)),
		r.expect(r.trySmall(ctx, &c, r.report.Slots)),
		facts{"Slots": slots, "Check": k.Check, "Program": k.Program, "Unchecked": k.Unchecked})
}

func (r *run) programsRules(names []string) fabric.Rules {
	rules := r.config.Rules
	for _, form := range programRules(r.config.Firmware.Program, names) {
		if err := json.Unmarshal([]byte(form.json()), &rules); err != nil {
			panic(err) // marshalled above
		}
	}
	return rules
}

func (r *run) whatChecks(ctx context.Context, names []string) string {
	c := *r.config
	c.Rules = r.programsRules(names)
	return r.expect(r.trySmall(ctx, &c, r.report.Slots))
}

const triedWorkMax = 2_000_000

func (r *run) small(slots uint64) bool {
	return slots <= triedWorkMax && uint64(r.machine.Shape.Processors())*slots <= triedWorkMax
}

func (r *run) trySmall(ctx context.Context, c *config.Config, slots uint64) *outcome.Left {
	if !r.small(slots) {
		return nil
	}
	return r.try(ctx, c)
}

func (r *run) try(ctx context.Context, c *config.Config) *outcome.Left {
	if r.config.RTL != nil || ctx.Err() != nil || r.report.Aside.CutShort {
		return nil
	}
	settings := r.settings
	settings.RunTable, settings.Packets, settings.Replay = false, false, 0
	m, err := emulator.New(ctx, c, settings)
	if err != nil {
		return nil
	}
	err = m.Run(ctx, r.repeated())
	var left *outcome.Left
	if err == nil && !m.Interrupted {
		of := outcome.LeftOf(m.Sum())
		left = &of
	}
	if m.Release() != nil {
		return nil
	}
	return left
}

var word = regexp.MustCompile(`(?:[^ '\\]|\\.|'[^']*')+`)

// set adds a key of the scenario to a command line. It removes earlier settings of the key and its parts.
func set(command, key, value string) string {
	words := word.FindAllString(command, -1)
	for i := len(words) - 2; i >= 0; i-- {
		if words[i] != strict.SetOption {
			continue
		}
		rest, own := strings.CutPrefix(strings.TrimPrefix(words[i+1], "'"), key)
		if own && strings.ContainsAny(rest[:min(1, len(rest))], "=.[") {
			words = slices.Delete(words, i, i+2)
		}
	}
	return strings.Join(words, " ") + " " + strict.SetOption + " " + outcome.ShellQuote(key+"="+value)
}

// moreTimes is the factor for the slot limit if the required number of slots is unknown.
const moreTimes = 10

func slotsOption(limit uint32) string { return fmt.Sprintf(" --slots %d", limit) }

func (r *run) moreSlots(ctx context.Context, command string) outcome.Remedy {
	limit := r.config.Slots
	if last := r.report.Aside.LastSent; last != nil && *last < r.report.Slots/2 {
		m := remedy("waits", "", "", *last)
		m.Rule = fabric.RuleFinishes
		return m
	}
	more, left := r.longer(ctx)
	unended := left != nil && left.Slots == more && left.Verdict != outcome.VerdictPass &&
		slices.Contains(left.Rules, fabric.RuleFinishes)
	m := remedy("more slots", strings.Replace(command, slotsOption(limit), "", 1)+slotsOption(uint32(more)), "",
		facts{"More": more, "Limit": limit, "By": r.report.Aside.Known.LimitedBy, "Traffic": r.config.Traffic != nil,
			"Expect":  r.expect(left),
			"Unended": unended, "Large": left == nil && !r.small(more),
			"Processors": r.machine.Shape.Processors(), "Most": triedWorkMax})
	m.Rule = fabric.RuleFinishes
	return m
}

// longer tries the run with the slots of its traffic, or with up to moreTimes the slots until the run ends by itself.
// It returns the number of slots, and the outcome, nil without a trial.
func (r *run) longer(ctx context.Context) (more uint64, left *outcome.Left) {
	most := func(slots uint64) uint64 { return min(slots, 1<<32-2) }
	more = most(uint64(r.config.Slots) * moreTimes)
	if r.config.Traffic != nil {
		more = uint64(r.config.Traffic.Slots())
	}
	for ; r.small(more); more = most(more * moreTimes) {
		c := *r.config
		c.Slots = uint32(more)
		left = r.try(ctx, &c)
		if left == nil || left.Slots < more || r.config.Traffic != nil || !r.small(more*moreTimes) {
			break
		}
	}
	return more, left
}

// shorter shortens the traffic to the slot limit, or to a multiple of the limit. It returns none if no run passes.
func (r *run) shorter(ctx context.Context, command string) []outcome.Remedy {
	t := r.config.Traffic
	if t == nil || t.Arrivals == fabric.ArrivalsFile {
		return nil
	}
	for slots := r.config.Slots; slots < t.Slots() && r.small(uint64(slots)); slots *= moreTimes {
		c := *r.config
		c.Slots, c.Traffic = slots, t.Within(slots)
		left := r.try(ctx, &c)
		if left == nil {
			return nil
		}
		if left.Verdict != outcome.VerdictPass {
			continue
		}
		for _, key := range []struct {
			name   string
			window *fabric.Duration
		}{{"warm_up", c.Traffic.WarmUp}, {"measure", c.Traffic.Measure}, {"drain", c.Traffic.Drain}} {
			command = set(command, "workload.traffic."+key.name, key.window.String())
		}
		if slots > r.config.Slots {
			command = strings.Replace(command, slotsOption(r.config.Slots), "", 1) + slotsOption(slots)
		}
		m := remedy("shorter", command, left.Expect(), slots)
		m.Rule = fabric.RuleFinishes
		return []outcome.Remedy{m}
	}
	return nil
}

// deeper doubles the RX FIFOs until the run passes. It returns none if larger FIFOs do not help.
func (r *run) deeper(ctx context.Context, command, rule string) []outcome.Remedy {
	had := r.config.NIC.RxFrames
	for depth := 2 * had; depth <= fabric.FIFOMax; depth *= 2 {
		c := *r.config
		c.NIC.RxFrames = depth
		left := r.trySmall(ctx, &c, r.report.Slots)
		if left == nil {
			return nil
		}
		if left.Verdict == outcome.VerdictPass {
			m := remedy("deeper", set(command, "nic.rx_frames", fmt.Sprint(depth)), left.Expect(),
				facts{"Depth": depth, "Had": had, "Ring": rule == fabric.RuleDeadlock})
			m.Rule, m.Instead = rule, rule == fabric.RuleNoLoss
			return []outcome.Remedy{m}
		}
	}
	return nil
}
