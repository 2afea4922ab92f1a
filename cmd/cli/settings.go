package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/traces/input"
)

// settings holds the values of --set, which replace keys of a scenario.
type settings struct {
	networks starloom.Networks // networks that the scenario may name
	words    []string
	standard []byte // contents of standard input, for a command that must first detect their kind
}

func (s *settings) declare(c *cobra.Command) {
	c.Flags().StringArrayVar(&s.words, "set", nil, "set a key of the scenario, `KEY=VALUE`; may be repeated")
	completed(c, "set", settingWords(s.networks))
}

func (s *settings) load(path string) (*starloom.Scenario, error) {
	set, err := s.assignments()
	if err != nil {
		return nil, err
	}
	if path == input.StandardInput && s.standard != nil {
		return s.networks.ParseScenario(input.StandardInputName, s.standard, set...)
	}
	return s.networks.LoadScenario(path, set...)
}

// isScenario reports whether a file is a scenario. Standard input, whose contents are kept, counts as a scenario
// unless it is a pin map. An unreadable file yields false.
func (s *settings) isScenario(path string) bool {
	data, _, err := input.Argument(path, scenarioBytesMax)
	if path == input.StandardInput {
		s.standard = data
		return !starloom.IsPinMap(data)
	}
	return err == nil && starloom.IsScenario(data)
}

const scenarioBytesMax = 64 << 20

func (s *settings) assignments() ([]starloom.Assignment, error) {
	set := make([]starloom.Assignment, len(s.words))
	for i, word := range s.words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, input.Mistake("--set "+word, "not a key with a value",
				"write --set KEY=VALUE: --set nic.rx_frames=64")
		}
		set[i] = starloom.Assignment{Key: key, Value: value}
	}
	return set, nil
}

func (s *settings) again() (text string) {
	for _, word := range s.words {
		text += " --set " + outcome.ShellQuote(word)
	}
	return text
}

func inputs(s *starloom.Scenario, path string) []string {
	return slices.DeleteFunc(append(s.Inputs(), path), func(path string) bool { return path == "-" })
}

type overrides struct {
	image             string
	seed, permutation uint64
	slots             *integerValue
	mode              *choice
}

func (o *overrides) declare(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.image, "firmware", "", "run the image `F` or a built-in program")
	completed(c, "firmware", imageWords)
	f.Uint64Var(&o.seed, "seed", 0, "use the seed `N`")
	f.Uint64Var(&o.permutation, "permutation", 0, "run only number `K` of all permutations")
	o.slots = integer(c, "slots", "end an unfinished run after `N` slots", 1, starloom.SlotsMax)
	o.mode = choose(c, "mode", "one firmware instance for many processors, or one for each",
		starloom.ModeBanked, starloom.ModeIsolated)
}

func override(c *cobra.Command, s *starloom.Scenario, over starloom.Overrides) (err error) {
	if over.Image == input.StandardInput {
		if over.ImageBytes, _, err = input.Argument(over.Image, firmware.ImageBytesMax); err != nil {
			return input.Refused(input.StandardInputName, err, "give the image as a file")
		}
		if len(over.ImageBytes) == 0 {
			return input.Mistake(input.StandardInputName, "it has no bytes left for the image",
				"give the image or the scenario as a file")
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
