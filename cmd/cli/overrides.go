package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/firmware"
	"starloom/traces/input"
)

// overrides are the options that replace what a scenario says.
type overrides struct {
	image             string
	seed, permutation uint64
	slots             *integerValue
	mode              *choice
}

func (o *overrides) declare(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.image, "firmware", "", "run the image `F`, or a built-in program, instead of the scenario's firmware")
	completed(c, "firmware", imageWords)
	f.Uint64Var(&o.seed, "seed", 0, "use the seed `N`")
	f.Uint64Var(&o.permutation, "permutation", 0, "run only number `K` of all permutations")
	o.slots = integer(c, "slots", "end a run that is not done after `N` slots", 1, starloom.SlotsMax)
	o.mode = choose(c, "mode", "one firmware instance for many processors, or one for each", starloom.ModeBanked, starloom.ModeIsolated)
}

// override replaces what a scenario says. The image - comes from standard input, read once.
func override(c *cobra.Command, s *starloom.Scenario, over starloom.Overrides) (err error) {
	if over.Image == input.StandardInput {
		if over.ImageBytes, _, err = input.Argument(over.Image, firmware.ImageBytesMax); err != nil {
			return input.Refused(input.StandardInputName, err, "give the image as a file")
		}
	}
	return s.Override(c.Context(), over)
}

func (o *overrides) given(f *pflag.FlagSet) starloom.Overrides {
	over := starloom.Overrides{Mode: o.mode.value, Image: o.image}
	if f.Changed("seed") {
		over.Seed = &o.seed
	}
	if f.Changed("permutation") {
		over.Permutation = &o.permutation
	}
	if f.Changed("slots") {
		slots := uint32(o.slots.value)
		over.Slots = &slots
	}
	return over
}
