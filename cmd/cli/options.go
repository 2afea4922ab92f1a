package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom/traces/input"
)

type choice struct {
	value string
	words []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }
func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return errors.New("not one of the words") // flagError lists the words
	}
	c.value = word
	return nil
}

// choose adds an option with a fixed set of words. Its default is "".
func choose(c *cobra.Command, name, usage string, words ...string) *choice {
	value := &choice{words: words}
	c.Flags().Var(value, name, usage)
	// Registration cannot fail, because the option was just added.
	_ = c.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
	return value
}

type integerValue struct{ value, least, most uint64 }

func (v *integerValue) String() string { return strconv.FormatUint(v.value, 10) }
func (v *integerValue) Type() string   { return "integer" }
func (v *integerValue) Set(text string) error {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil || value < v.least || value > v.most {
		return errors.New("not in the range") // flagError names the range
	}
	v.value = value
	return nil
}

func integer(c *cobra.Command, name, usage string, least, most uint64) *integerValue {
	value := &integerValue{least: least, most: most}
	c.Flags().Var(value, name, usage)
	return value
}

func pairs(option string, words []string, valued bool) (map[string]string, error) {
	values := map[string]string{}
	for _, word := range words {
		name, value, ok := strings.Cut(word, "=")
		if name == "" || !ok && valued {
			return nil, input.Mistake(option, fmt.Sprintf("%q is not a name and a value", word),
				"write "+option+" NAME=VALUE")
		}
		if _, twice := values[name]; twice {
			return nil, input.Mistake(option, name+" is given twice", "give every name once")
		}
		values[name] = value
	}
	return values, nil
}

// flagError describes the accepted values of an option. For an unknown option it suggests a similar one.
func flagError(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		remedy := fmt.Sprintf("see '%s --help'", c.CommandPath())
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			remedy = meantOption(c, unknown, remedy)
		}
		return input.Mistake(c.CommandPath(), err.Error(), remedy)
	}
	remedy := "give a value of another kind"
	switch value := invalid.GetFlag().Value.(type) {
	case *choice:
		remedy = input.DidYouMean(invalid.GetValue(), value.words, "choose one of "+strings.Join(value.words, ", "))
	case *integerValue:
		remedy = fmt.Sprintf("give an integer from %d to %d", value.least, value.most)
	case *pictures:
		remedy = value.remedy(invalid.GetValue())
	default:
		switch value.Type() {
		case "uint", "uint64":
			remedy = fmt.Sprintf("give an integer from 0 to %d", uint64(math.MaxUint64))
		case "uint32":
			remedy = fmt.Sprintf("give an integer from 0 to %d", uint32(math.MaxUint32))
		case "duration":
			remedy = "write a number with its unit: 90s, 5m"
			if _, err := strconv.ParseFloat(invalid.GetValue(), 64); err == nil {
				remedy = fmt.Sprintf("write %ss, or another unit: ms, m, h", invalid.GetValue())
			}
		case "uint16":
			remedy = fmt.Sprintf("give an integer from 0 to %d", math.MaxUint16)
		}
	}
	return input.Mistake("--"+invalid.GetFlag().Name, fmt.Sprintf("%q cannot be used", invalid.GetValue()), remedy)
}

// meantOption suggests an option in place of an unknown one: a similar option, or the same option with two dashes
// instead of one. Otherwise it names the commands that have the option.
func meantOption(c *cobra.Command, unknown *pflag.NotExistError, remedy string) string {
	word := unknown.GetSpecifiedName()
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		if word = letters; len(letters) == 1 {
			return remedy // a single letter resembles every other letter
		}
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := input.Nearest(word, names); near != "" {
		return fmt.Sprintf("did you mean --%s? %s", near, remedy)
	}
	var others []string
	for _, other := range documented(c.Root()) {
		if f := other.Flags().Lookup(word); f != nil && !f.Hidden {
			others = append(others, "'"+other.CommandPath()+"'")
		}
	}
	if len(others) == 0 {
		return remedy
	}
	return fmt.Sprintf("it is an option of %s; %s", strings.Join(others, ", "), remedy)
}

const replacement = "replacement" // annotation of an old option

// formerly keeps the old name of an option for one version, with a note about the new name.
func formerly(c *cobra.Command, old, name string) {
	f := *c.Flags().Lookup(name)
	f.Name, f.Shorthand, f.Hidden, f.Annotations = old, "", true, map[string][]string{replacement: {name}}
	c.Flags().AddFlag(&f)
}

// replaceOld sets the new options whose old names were given, and prints a note for each.
func replaceOld(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && len(f.Annotations[replacement]) > 0 {
			name := f.Annotations[replacement][0]
			c.Flags().Lookup(name).Changed = true
			sayOld(c, "--"+f.Name, "--"+name)
		}
	})
}

func sayOld(c *cobra.Command, old, now string) {
	fmt.Fprintf(readable(c.ErrOrStderr()), "note: %s is now %s, and the next version refuses it\n", old, now)
}

// refuseEmpty rejects empty options and arguments, which usually come from an unset variable of a script. No option
// accepts an empty value.
func refuseEmpty(c *cobra.Command, args []string) (err error) {
	if c.DisableFlagParsing {
		return nil // the word to complete may be empty
	}
	if k := slices.Index(args, ""); k >= 0 {
		return input.Mistake(c.CommandPath(), fmt.Sprintf("argument %d is empty", k+1), "usage: "+c.UseLine())
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if err == nil && (len(values) == 0 || slices.Contains(values, "")) {
			err = input.Mistake("--"+f.Name, "its value is empty", "give a value, or delete the option")
		}
	})
	return err
}
