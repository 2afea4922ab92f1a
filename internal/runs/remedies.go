package runs

import (
	"context"
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
	"starloom/traces"
	"starloom/traces/input/strict"
)

// remedies are what may mend a run that has failed, as commands to copy: the likeliest first. Those that are short are tried.
func (r *run) remedies(ctx context.Context) (list []outcome.Remedy) {
	report, command := r.report, r.report.Aside.Command
	if command == "" || len(report.Violations) == 0 {
		return nil
	}
	broke := func(rule string) bool {
		return slices.ContainsFunc(report.Violations, func(v outcome.Violation) bool { return v.Rule == rule })
	}
	if p := r.config.Firmware.Program; p != nil && p.Instead != "" {
		list = append(list, outcome.Remedy{
			Text: fmt.Sprintf("Run it with `%s` in the place of `%s`, which is not right for this network (to stay with it, write it after `program:` in the scenario):",
				p.Instead, p.Name),
			Command: outcome.WithFirmware(command, p.Name, p.Instead), Expect: r.withProgram(ctx, p.Instead)})
	}
	if report.ByFaults() {
		list = append(list, r.withoutFaults(ctx, command)...)
	}
	if broke(fabric.RuleFinishes) && r.report.Aside.Known.Limited != "" && (report.Without == nil || report.Without.Slots >= report.Slots) {
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
	if f := &report.Firmware; broke(fabric.RuleMeetsBudget) && f.Cycles != nil {
		list = append(list, outcome.Remedy{When: "If the compute window may be longer",
			Text:    fmt.Sprintf("run it with one in which the longest call of a handler fits, %s:", traces.Plural(f.Cycles.Max, "cycle", "cycles")),
			Command: set(command, "firmware.cpu.budget_cycles", fmt.Sprint(f.Cycles.Max)), Expect: "that no call misses its slot; this page has not tried it"})
	}
	if report.Expect == nil && !report.ByFaults() && slices.ContainsFunc(list, func(m outcome.Remedy) bool { return m.Command != "" }) {
		list = append(list, meant(command, "If the run is to show this failure"))
	}
	return list
}

// inTime are what to do about a deadline that the program of the run cannot meet, none if it may; before that what else was tried.
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
	within := "takes " + traces.Plural(late.Deadline, "slot", "slots") + " or fewer"
	if k := &r.report.Aside.Known; k.Check != "" {
		command, within = k.Check, "keeps these rules and "+within
	}
	const when = "If it has to be in time on this network"
	write := outcome.Remedy{When: when, Instead: true,
		Text: fmt.Sprintf("there is no way: no firmware needs less than %d slots.", least.Any)}
	var keeps *parameter
	if uint64(least.Any) <= late.Deadline {
		programs, unknown := r.otherPrograms(ctx)
		add(outcome.Remedy{Text: programs, Tried: true})
		var tried string
		if tried, keeps = r.otherParameters(ctx); tried != "" {
			add(outcome.Remedy{Text: tried, Tried: true})
		}
		write.Text = "write firmware with another algorithm" + howInTime(&least) + ". Start from the source of this program:"
		if len(unknown) > 0 {
			write.Text = "take another program, which this page has not tried (" + strings.Join(unknown, ", ") + "), or " + write.Text
		}
		source, file, build := outcome.SourceOf(own.Name)
		write.Command, write.Expect = source, fmt.Sprintf("the file %s; `%s` builds what you make of it, and `%s` runs it: PASS if it %s",
			file, build, outcome.WithOwn(command, own.Name), within)
	}
	if keeps != nil {
		write = outcome.Remedy{When: when, Instead: true, Text: "run it with this parameter:",
			Command: set(command, keeps.key, fmt.Sprint(keeps.value)), Expect: keeps.left.Expect()}
	}
	if smaller := r.smaller(ctx, command); smaller != nil {
		add(*smaller)
	}
	add(write)
	return list
}

func howInTime(least *fabric.Least) string {
	switch {
	case least.How != "":
		return ": " + least.How
	case least.Any > 0:
		return fmt.Sprintf(", for which %d slots are the least that is possible", least.Any)
	}
	return ""
}

// smallerTries, smallerMost are how many smaller networks a page tries, and looks at.
const smallerTries, smallerMost = 4, 4096

// smaller is the remedy with the largest smaller network on which the program meets the deadline, nil if none was found.
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
			return &outcome.Remedy{When: "If the network may be smaller",
				Text:    fmt.Sprintf("take `%s: %d`, the largest with which `%s` keeps all rules:", key, value, r.config.Firmware.Program.Name),
				Command: set(command, key, fmt.Sprint(value)), Expect: left.Expect()}
		}
	}
	return nil
}

// otherPrograms says whether other programs of the fabric that carry the workload meet a deadline that the run's own cannot;
// unknown are those of which it is not known.
func (r *run) otherPrograms(ctx context.Context) (text string, unknown []string) {
	own, late := r.config.Firmware.Program, r.report.Aside.Late
	var slow []string
	for _, p := range r.config.Network.Programs() {
		switch same := slices.ContainsFunc(p.Workloads, func(kind string) bool { return slices.Contains(own.Workloads, kind) }); {
		case p.Name == own.Name || !same:
		case uint64(p.Needed().Slots) > late.Deadline:
			slow = append(slow, fmt.Sprintf("`%s` (%d slots%s)", p.Name, p.Needed().Slots, r.took(ctx, p.Name)))
		default:
			unknown = append(unknown, "`"+p.Name+"`")
		}
	}
	switch {
	case len(slow) > 0:
		return "Other programs of the fabric for this workload take too long, too, at the least: " + strings.Join(slow, ", ") + ".", unknown
	case len(unknown) > 0:
		return "Of other programs of the fabric for this workload it is not known: " + strings.Join(unknown, ", ") + ".", unknown
	}
	return fmt.Sprintf("The fabric has no other program for this workload than `%s`.", own.Name), nil
}

// took says how many slots the run takes with another program, "" if that was not tried.
func (r *run) took(ctx context.Context, program string) string {
	c, err := r.config.Source.With(program, nil)
	if err != nil {
		return ""
	}
	left := r.trySmall(ctx, c, r.report.Slots)
	if left == nil {
		return ""
	}
	return fmt.Sprintf("; tried, it took %d", left.Slots)
}

// parameter is a value of a parameter of the program that was tried.
type parameter struct {
	key   string
	means string // the value, "" if no one says
	value int64
	left  *outcome.Left
}

func (p *parameter) text() string {
	means := ""
	if p.means != "" {
		means = " (" + p.means + ")"
	}
	return fmt.Sprintf("with `%s=%d`%s %s", p.key, p.value, means, p.left.Text())
}

// otherParameters tries the other values of the parameters of the program that have few, up to the first with which the run keeps
// all rules: keeps. It says how the runs end, "" if there were none.
func (r *run) otherParameters(ctx context.Context) (text string, keeps *parameter) {
	own := r.config.Firmware.Program
	var tried []string
	for _, choice := range own.Params {
		for i, v := range choice.Values {
			params := maps.Clone(r.config.Firmware.Params)
			if params == nil {
				params = map[string]int64{}
			}
			if params[choice.Name] == v {
				continue
			}
			params[choice.Name] = v
			c, err := r.config.Source.With(own.Name, params)
			if err != nil {
				continue
			}
			left := r.trySmall(ctx, c, r.report.Slots)
			if left == nil {
				continue
			}
			p := &parameter{key: "firmware.params." + choice.Name, value: v, left: left}
			if i < len(choice.Mean) {
				p.means = choice.Mean[i]
			}
			tried = append(tried, p.text())
			if left.Verdict == outcome.VerdictPass {
				return "This page has tried other parameters of the program: " + strings.Join(tried, "; ") + ".", p
			}
		}
	}
	if tried == nil {
		return "", nil
	}
	return fmt.Sprintf("This page has tried other parameters of the program: %s. None meets %s.", strings.Join(tried, "; "),
		traces.Plural(r.report.Aside.Late.Deadline, "slot", "slots")), nil
}

// withoutFaults are the runs without one of the faults that have broken rules, as far as they were tried, and without all; then
// what to do if the faults are meant.
func (r *run) withoutFaults(ctx context.Context, command string) (list []outcome.Remedy) {
	report := r.report
	for k := range report.Aside.Known.Left {
		if report.Faults[k].First != nil && len(report.Faults) > 1 {
			text := fmt.Sprintf("Without `%s`, with the other faults: %s.", report.FaultName(k), report.LeftText(&report.Aside.Known.Left[k]))
			list = append(list, outcome.Remedy{Text: text, Command: set(command, r.config.Faults[k].Key, "0"), Tried: true})
		}
	}
	none := set(command, "faults", "{}")
	switch w := report.Without; {
	case w != nil && w.Verdict == outcome.VerdictFail:
		list = append(list, outcome.Remedy{Text: "First mend what it breaks without any fault:", Command: none,
			Expect: fmt.Sprintf("FAIL, %s; this page has tried it", traces.Plural(w.ViolationsTotal, "violation", "violations"))})
	case w != nil:
		list = append(list, outcome.Remedy{When: "If the faults are not meant", Text: "take them out of the scenario:", Command: none,
			Expect: fmt.Sprintf("PASS after %s; this page has tried it", traces.Plural(w.Slots, "slot", "slots"))})
	}
	if report.Expect == nil {
		list = append(list, meant(command, "If they are meant, and the run is to show this failure"))
	}
	if r.brokenByFaults(fabric.RuleNoLoss) || r.config.Rules.ReceiveStep && r.brokenByFaults(fabric.RuleExactlyOnce) {
		list = append(list, r.lossless(ctx, command))
	}
	return list
}

func meant(command, when string) outcome.Remedy {
	return outcome.Remedy{When: when, Text: "say that it is expected:", Command: command + " --expect fail",
		Expect: "the same FAIL, with a line that says `as expected: fail`; the exit status is 0, not 1"}
}

func (r *run) brokenByFaults(rule string) bool {
	return slices.ContainsFunc(r.report.Violations, func(v outcome.Violation) bool {
		return v.Rule == rule && v.Cause == outcome.CauseFaults
	})
}

// lossless says what to hold firmware to that sends again what faults take: the same rules, but not no_loss, which is about every
// frame - exactly_once is in its place if packets are carried -, and not receive_step, which is about the first try.
func (r *run) lossless(ctx context.Context, command string) outcome.Remedy {
	c, loses := *r.config, r.brokenByFaults(fabric.RuleNoLoss)
	c.Rules.NoLoss, c.Rules.ReceiveStep = false, false
	c.Rules.ExactlyOnce = c.Rules.ExactlyOnce || loses && r.config.Known.Carries
	text := "hold the run to what has to arrive:"
	switch {
	case !loses:
		text += " leave out `receive_step`, as what is sent again comes later:"
	case r.config.Known.Carries:
		text += " `no_loss` is about every single frame, so it stays broken by one that a fault has taken, even if the firmware sends that again. " +
			"Check `exactly_once` in its place, beside the other rules:"
	default:
		text += " `no_loss` is about every single frame, so it stays broken by one that a fault has taken, even if the firmware sends that again. " +
			"Leave it out, and check the other rules. Whether all has come then, no rule can say here: let the receiver's firmware count, " +
			"and call `sl_fail` if something is missing:"
	}
	expect := r.expect(r.trySmall(ctx, &c, r.report.Slots))
	remedy := outcome.Remedy{When: "If the firmware sends again what is lost", Text: text,
		Command: set(command, "rules", flow(&c.Rules)), Expect: expect, Later: true}
	if strings.HasPrefix(expect, "PASS") {
		return remedy
	}
	mends := "PASS if it keeps these rules, and those of every run: `finishes` is checked although it is not named"
	if dead := len(r.report.Aside.Killed); dead > 0 && c.Rules.ExactlyOnce {
		mends = fmt.Sprintf("FAIL only where a processor is dead, with %s", traces.Plural(dead, "violation", "violations"))
	}
	if p := r.config.Firmware.Program; p != nil {
		remedy.Command = set(outcome.WithOwn(command, p.Name), "rules", flow(&c.Rules))
		remedy.Expect = fmt.Sprintf("%s; with `%s` in the place of mine.wasm %s", mends, p.Name, expect)
	} else {
		remedy.Expect = fmt.Sprintf("%s; with the firmware as it is %s", mends, expect)
	}
	return remedy
}

func flow(rules *fabric.Rules) string {
	form, err := json.Marshal(rules)
	if err != nil {
		panic(err) // numbers, lists and booleans
	}
	return unquoted(string(form))
}

func unquoted(form string) string {
	return strings.NewReplacer(`"`, "", ":", ": ", ",", ", ").Replace(form)
}

func (r *run) withProgram(ctx context.Context, program string) string {
	c, err := r.config.Source.With(program, r.config.Firmware.Params)
	if err != nil { // it takes other keys
		return r.expect(nil)
	}
	return r.expect(r.trySmall(ctx, c, r.report.Slots))
}

// expect is what to expect of a run that was tried, nil for one that was not.
func (r *run) expect(left *outcome.Left) string {
	if left != nil {
		return left.Expect()
	}
	return "PASS or FAIL: this page has not tried it" + map[bool]string{true: ", as the run has RTL"}[r.config.RTL != nil]
}

// longerDeadline is the remedy for a missed deadline: one that all meet, without rules replaced by the scenario's own.
func (r *run) longerDeadline(ctx context.Context, command string, slots uint64) outcome.Remedy {
	text := fmt.Sprintf("run it with the deadline that all meet, %s; nothing gets faster by that.", traces.Plural(slots, "slot", "slots"))
	c := *r.config
	if k := &r.report.Aside.Known; k.Check != "" {
		command, c.Rules = k.Check, r.programsRules(k.Unchecked)
		text += fmt.Sprintf(" This checks what `%s` has to keep by itself, too (`%s`):", k.Program, strings.Join(k.Unchecked, "`, `"))
	}
	c.Rules.DeadlineSlots = uint32(slots)
	return outcome.Remedy{When: "If packets may come later", Text: text, Command: set(command, "rules.deadline_slots", fmt.Sprint(slots)),
		Expect: r.expect(r.trySmall(ctx, &c, r.report.Slots))}
}

func (r *run) programsRules(names []string) fabric.Rules {
	rules := r.config.Rules
	for _, form := range programRules(r.config.Firmware.Program, names) {
		if err := json.Unmarshal([]byte(form.json()), &rules); err != nil {
			panic(err) // rules as they were written
		}
	}
	return rules
}

func (r *run) whatChecks(ctx context.Context, names []string) string {
	c := *r.config
	c.Rules = r.programsRules(names)
	return r.expect(r.trySmall(ctx, &c, r.report.Slots))
}

// triedWorkMax is how many processors times slots a run may have that a page tries.
const triedWorkMax = 2_000_000

// small reports whether a page tries a run of so many slots.
func (r *run) small(slots uint64) bool {
	return slots <= triedWorkMax && uint64(r.machine.Shape.Processors())*slots <= triedWorkMax
}

// trySmall tries a scenario that is expected to take so many slots, if that is a small run.
func (r *run) trySmall(ctx context.Context, c *config.Config, slots uint64) *outcome.Left {
	if !r.small(slots) {
		return nil
	}
	return r.try(ctx, c)
}

// try runs another scenario in the place of this one, for a page; nil if it cannot be run, or is interrupted.
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

// word is an argument of a command line, in single quotes where it has spaces.
var word = regexp.MustCompile(`(?:[^ '\\]|\\.|'[^']*')+`)

// set gives a key of the scenario a value on a command line, in the place of one that it, or what is in it, has there.
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

// moreTimes is how many times as many slots a run gets of which no one knows how many it needs.
const moreTimes = 10

func slotsOption(limit uint32) string { return fmt.Sprintf(" --slots %d", limit) }

// moreSlots is the remedy for a run that has come to its limit of slots.
func (r *run) moreSlots(ctx context.Context, command string) outcome.Remedy {
	limit := r.config.Slots
	if last := r.report.Aside.LastSent; last != nil && *last < r.report.Slots/2 {
		text := "No frame was sent at all"
		if *last > 0 {
			text = fmt.Sprintf("No frame was sent after slot %d", *last-1)
		}
		return outcome.Remedy{Text: text + ": more slots help only if a handler waits for a later one.", Rule: fabric.RuleFinishes}
	}
	option := slotsOption(limit)
	more, left := r.longer(ctx)
	text := fmt.Sprintf("give it %d slots, and not the %d that `%s` sets", more, limit, r.report.Aside.Known.LimitedBy)
	if r.config.Traffic != nil {
		text += "; `warm_up`, `measure` and `drain` of its traffic are so many together"
	}
	expect := r.expect(left)
	switch n := r.machine.Shape.Processors(); {
	case left != nil && left.Slots == more && left.Verdict != outcome.VerdictPass && slices.Contains(left.Rules, fabric.RuleFinishes):
		expect += fmt.Sprintf(", and it is not over after %s, either", traces.Plural(more, "slot", "slots"))
	case left == nil && !r.small(more):
		expect += fmt.Sprintf(": %d processors times %d slots are more than the %d that it tries", n, more, triedWorkMax)
	}
	command = strings.Replace(command, option, "", 1) + slotsOption(uint32(more))
	return outcome.Remedy{When: "If it is to come to its end", Text: text + ":", Command: command, Expect: expect, Rule: fabric.RuleFinishes}
}

// longer tries the run with more slots: as many as its traffic needs, or so many times as many as before, until it ends by
// itself. It returns how many it had, and how it ended, nil if it was not tried.
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

// shorter is the remedy for a run that its limit of slots has cut short, with traffic that fits: within that limit, or one so many
// times as long; none if it was not found.
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
		return []outcome.Remedy{{When: "If it is to be this short", Rule: fabric.RuleFinishes, Command: command, Expect: left.Expect(),
			Text: fmt.Sprintf("shorten the traffic so that it fits into %s; its figures are of fewer packets then:", traces.Plural(slots, "slot", "slots"))}}
	}
	return nil
}

// deeper tries RX FIFOs that are twice as deep, and so on, until no rule is broken. It has no advice where that does not help. Frames that
// were lost need no other; frames that wait for one another may have it in the firmware, too.
func (r *run) deeper(ctx context.Context, command, rule string) []outcome.Remedy {
	had, only := r.config.NIC.RxFrames, ""
	if rule == fabric.RuleDeadlock {
		only = ", which is enough for this load; with more frames on their way the ring may close again"
	}
	for depth := 2 * had; depth <= fabric.FIFOMax; depth *= 2 {
		c := *r.config
		c.NIC.RxFrames = depth
		left := r.trySmall(ctx, &c, r.report.Slots)
		if left == nil {
			return nil
		}
		if left.Verdict == outcome.VerdictPass {
			return []outcome.Remedy{{
				When: "If the NIC may have a deeper RX FIFO", Rule: rule, Instead: rule == fabric.RuleNoLoss,
				Text: fmt.Sprintf("give it %s in the place of %d (depths were doubled until the run passed)%s:",
					traces.Plural(uint64(depth), "frame", "frames"), had, only),
				Command: set(command, "nic.rx_frames", fmt.Sprint(depth)), Expect: left.Expect(),
			}}
		}
	}
	return nil
}
