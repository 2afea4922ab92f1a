package check

import (
	"errors"
	"fmt"
	"slices"

	"starloom/firmware"
	"starloom/traces"
	"starloom/traces/input"
)

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

// feed calls a handler on an input, in a machine of its own. An *InputError without a place is about
// the input.
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
		return nil, &input.Error{Reason: fmt.Sprintf(format, arguments...), Remedy: "give the scenario and the firmware that it was found with"}
	}
	if f.m.Slots() != in.Slots {
		return refuse("slots is %d, and the run ends after %d", in.Slots, f.m.Slots())
	}
	f.choose(in.Processor)
	bank := f.instance.Bank()
	switch calls := f.instance.Calls(); {
	case slices.ContainsFunc(in.Steps, func(x FuzzStep) bool { return x.Schedule != nil && bank.Schedule == nil }):
		return refuse("there is a word of a schedule, and the firmware takes none")
	case slices.ContainsFunc(in.Steps, func(x FuzzStep) bool {
		return slices.ContainsFunc(x.ROM, func(w FuzzWord) bool {
			return w.Word < 0 || !bank.TakesROM || w.Word >= map[bool]int{true: len(bank.Machine), false: bank.ROMWords}[w.Machine]
		})
	}):
		return refuse("there is a word of a table that the firmware does not have")
	case in.Call != nil && !slices.Contains(calls, firmware.NamedCall{Name: in.Call.Name, Arguments: len(in.Call.Arguments)}):
		return refuse("the firmware has no call %s with %s", in.Call.Name, traces.Plural(len(in.Call.Arguments), "argument", "arguments"))
	}
	c.report.Firmware = f.m.Sum().Firmware
	found = f.run(in)
	if len(found) == 0 && in.Call == nil {
		found = f.stale(in)
	}
	c.report.FuzzCalls = f.calls
	return found, nil
}
