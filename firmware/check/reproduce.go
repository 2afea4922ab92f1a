package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/traces"
	"starloom/traces/input"
)

const reproduceTriesMax = 96

// reproduce writes to a relocatable folder the image and, for each finding, the smallest scenario and input found
// that show the finding, with the scenario's files. The report contains the commands.
func (c *checker) reproduce(folder string) error {
	if folder == "" || len(c.report.Fuzz) == 0 {
		return nil
	}
	if c.keys.Own == nil {
		c.leave("files that reproduce findings: a network defined in Go cannot be written as a scenario")
		return nil
	}
	refused := func(err error) error {
		return input.Refused("--reproduce", err, "")
	}
	if err := traces.MakeFolder(folder); err != nil {
		return refused(err)
	}
	var files traces.Files
	defer files.Abort()
	write := func(path string, data []byte) error {
		file, err := files.Create(path)
		if err != nil {
			return refused(err)
		}
		_, err = file.Write(data)
		return err
	}
	image, err := c.writeImage(folder, write)
	if err != nil {
		return err
	}
	for i := range c.report.Fuzz {
		x := &c.report.Fuzz[i]
		c.progress(fmt.Sprintf("shrinks the scenario of finding %d", i+1))
		small, shown, err := c.smallest(x)
		if err = errors.Join(err, c.ctx.Err()); err != nil {
			return err
		}
		if !shown {
			c.leave(fmt.Sprintf("files that reproduce %s of %s: parts of the scenario are not from its file", x.Rule, x.Path))
			continue
		}
		name := filepath.Join(folder, fmt.Sprintf("%02d-%s", i+1, x.Rule))
		x.Again = againCommand(image, name)
		if err := c.writeFinding(x, &small, name, write); err != nil {
			return err
		}
	}
	return files.Commit()
}

// A built-in program has no file.
func (c *checker) writeImage(folder string, write func(path string, data []byte) error) (image string, err error) {
	if c.config.Firmware.Program != nil {
		return c.config.Firmware.Name, nil
	}
	image = filepath.Join(folder, c.config.Firmware.Name)
	binary, err := c.imageBytes()
	if err != nil {
		return "", err
	}
	return image, write(image, binary)
}

func (c *checker) writeFinding(x *FuzzFinding, small *reproduction, name string,
	write func(path string, data []byte) error) error {
	if err := small.takeFiles(name, write); err != nil {
		return err
	}
	text, err := c.keys.YAML(small.keys)
	if err != nil {
		return err
	}
	fed, err := json.MarshalIndent(&small.input, "", "  ")
	if err != nil {
		return err
	}
	here := againCommand(c.config.Firmware.Name, filepath.Base(name))
	return errors.Join(
		write(name+".yaml", fmt.Appendf(nil, "# %s: %s\n# In this folder: %s\n%s", x.Rule,
			outcome.Printable(x.Text), here, text)),
		write(name+".json", append(fed, '\n')),
	)
}

// againCommand returns the command that repeats a finding. The names of a finding's files differ only in their
// suffix.
func againCommand(image, name string) string {
	return fmt.Sprintf("starloom firmware check %s %s --replay %s",
		outcome.ShellQuote(image), outcome.ShellQuote(name+".yaml"), outcome.ShellQuote(name+".json"))
}

type reproduction struct {
	keys  map[string]any
	input FuzzInput
}

func (r *reproduction) takeFiles(name string, write func(path string, data []byte) error) error {
	workload, _ := r.keys["workload"].(map[string]any)
	gossip, _ := workload["gossip"].(map[string]any)
	for _, key := range []string{"orders", "values"} {
		path, _ := gossip[key].(string)
		if !filepath.IsAbs(path) { // not a file
			continue
		}
		file, err := input.Open(path)
		if err != nil {
			return input.Unreadable(path, err, "do not move it during the check")
		}
		data, err := io.ReadAll(file)
		beside := name + "-" + key + ".csv"
		if err := errors.Join(err, file.Close(), write(beside, data)); err != nil {
			return err
		}
		gossip[key] = filepath.Base(beside)
	}
	return nil
}

// smallest shrinks the scenario of a finding; shown is false if the file form does not show the finding.
func (c *checker) smallest(x *FuzzFinding) (best reproduction, shown bool, err error) {
	best.input = x.Input
	if best.keys, err = c.keys.Own(); err != nil {
		return best, false, err
	}
	best.keys["firmware"].(map[string]any)["mode"] = c.mode()
	best.keys["seed"] = json.Number(fmt.Sprint(x.Input.Seed))
	best.keys["stop"] = map[string]any{"slots": json.Number(fmt.Sprint(x.Input.Slots))}
	if !c.shows(&best, x) {
		return best, false, nil
	}
	tries := 0
	try := func(change func(r *reproduction)) bool {
		if tries++; tries > reproduceTriesMax || c.ctx.Err() != nil {
			return false
		}
		next := reproduction{cloneKeys(best.keys), best.input}
		change(&next)
		if !c.shows(&next, x) {
			return false
		}
		best = next
		return true
	}
	try(func(r *reproduction) { r.input.Processor = 0 }) // processor 0 exists in every network
	for len(best.input.Steps) > 1 && best.input.Steps[0].empty() && try(func(r *reproduction) {
		r.input.Steps = r.input.Steps[1:]
		r.end(r.input.Slots + 1)
	}) {
	}
	for kind, of := range best.keys["fabric"].(map[string]any) { // the map has exactly one entry
		for _, size := range slices.Sorted(maps.Keys(of.(map[string]any))) {
			number, ok := of.(map[string]any)[size].(json.Number)
			if !ok {
				continue
			}
			given, _ := number.Int64()
			for n := int64(1); n < given; n *= 2 {
				if try(func(r *reproduction) {
					r.keys["fabric"].(map[string]any)[kind].(map[string]any)[size] = json.Number(fmt.Sprint(n))
				}) {
					break
				}
			}
		}
	}
	for slots := uint32(1); slots < best.input.Slots; slots *= 2 {
		if try(func(r *reproduction) { r.end(slots) }) {
			break
		}
	}
	for _, key := range []string{"faults", "rules", "workload", "link", "nic"} {
		try(func(r *reproduction) { delete(r.keys, key) })
	}
	try(func(r *reproduction) { delete(r.keys["firmware"].(map[string]any), "cpu") })
	params, _ := best.keys["firmware"].(map[string]any)["params"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(params)) {
		try(func(r *reproduction) { delete(r.keys["firmware"].(map[string]any)["params"].(map[string]any), name) })
	}
	return best, true, nil
}

func (r *reproduction) end(slots uint32) {
	r.input.Slots = slots
	r.keys["stop"] = map[string]any{"slots": json.Number(fmt.Sprint(slots))}
}

func (c *checker) shows(r *reproduction, x *FuzzFinding) bool {
	own, err := c.keys.Read(r.keys)
	if err != nil {
		return false
	}
	if own.Network.Shape().Lanes() == 1 { // the processor hears only one port
		r.input = r.input.clone()
		for k := range r.input.Steps {
			for i := range r.input.Steps[k].Frames {
				r.input.Steps[k].Frames[i].Port = 0
			}
		}
	}
	if r.input.check(own) != nil {
		return false
	}
	if own.Firmware.Program == nil {
		if own.Firmware.Bytes, err = c.imageBytes(); err != nil {
			return false
		}
	}
	other := &checker{ctx: c.ctx, config: own, alone: c.alone, progress: c.progress}
	found, err := other.feed(&r.input)
	return err == nil &&
		slices.ContainsFunc(found, func(y FuzzFinding) bool { return y.is(x) && y.Received == x.Received })
}

func cloneKeys(keys map[string]any) map[string]any {
	clone := maps.Clone(keys)
	for key, value := range clone {
		if inner, ok := value.(map[string]any); ok {
			clone[key] = cloneKeys(inner)
		}
	}
	return clone
}

func (c *checker) replay(path string) error {
	in, err := ReadInput(path, c.config)
	if err != nil {
		return err
	}
	found, err := c.feed(in)
	var refused *input.Error
	if errors.As(err, &refused) && refused.Place == "" {
		refused.Place = path
	}
	if err != nil {
		return err
	}
	c.report.Fuzzed = 1
	if len(found) > 0 {
		c.report.Fuzz = found
	}
	if slices.ContainsFunc(found, func(x FuzzFinding) bool { return x.GaveUp }) {
		c.report.GaveUp = 1
	}
	return nil
}

// feed calls a handler on an input, in a new machine. An *InputError without a place concerns the input.
func (c *checker) feed(in *FuzzInput) (found []FuzzFinding, err error) {
	f, err := c.newFuzzer()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.m.Release()) }()
	if err := f.step(fuzzBase{in.Seed, in.Slots}); err != nil {
		return nil, err
	}
	refuse := func(format string, arguments ...any) ([]FuzzFinding, error) {
		return nil, &input.Error{Reason: fmt.Sprintf(format, arguments...), Remedy: "give the scenario and the firmware " +
			"with which it was found"}
	}
	if f.m.Slots() != in.Slots {
		return refuse("slots is %d, but the run ends after %d", in.Slots, f.m.Slots())
	}
	f.choose(in.Processor)
	bank := f.instance.Bank()
	switch calls := f.instance.Calls(); {
	case slices.ContainsFunc(in.Steps, func(x FuzzStep) bool { return x.Schedule != nil && bank.Schedule == nil }):
		return refuse("the input has a word of a schedule, but the firmware accepts no schedule")
	case slices.ContainsFunc(in.Steps, func(x FuzzStep) bool {
		return slices.ContainsFunc(x.ROM, func(w FuzzWord) bool {
			return w.Word < 0 || !bank.TakesROM ||
				w.Word >= map[bool]int{true: len(bank.Machine), false: bank.ROMWords}[w.Machine]
		})
	}):
		return refuse("the input has a word of a table that the firmware lacks")
	case in.Call != nil &&
		!slices.Contains(calls, firmware.NamedCall{Name: in.Call.Name, Arguments: len(in.Call.Arguments)}):
		return refuse("the firmware has no call %s with %s", in.Call.Name,
			traces.Plural(len(in.Call.Arguments), "argument", "arguments"))
	}
	c.report.Firmware = f.m.Sum().Firmware
	found = f.run(in)
	if len(found) == 0 && in.Call == nil {
		found = f.stale(in)
	}
	c.report.FuzzCalls = f.calls
	return found, nil
}
