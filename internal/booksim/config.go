// Package booksim reads configuration files of BookSim 2 and writes scenarios for the same networks.
//
//	FILE.cfg, key=value --parse--> config --rules of keys--> network, router, traffic --> scenario, report by line
//
// Syntax, types and defaults are BookSim's. A value that the scenario cannot express is a mistake with a remedy.
package booksim

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/traces/input"
)

// assignment is one command KEY = VALUE; of a file or an argument.
type assignment struct {
	place, key, text string
	kind             byte // kindWord, kindInteger or kindDecimal
}

// Kinds of values. BookSim keeps a table for each kind, and a key may be in two of them.
const (
	kindWord    = 's'
	kindInteger = 'i'
	kindDecimal = 'f'
)

var kindNames = map[byte]string{kindWord: "a word or a list", kindInteger: "an integer",
	kindDecimal: "a number with a decimal point"}

// config holds the values of all keys, as BookSim stores them.
type config struct {
	name     string // of the file
	declared map[string]*key
	given    []assignment
	last     map[string]map[byte]*assignment // by key and kind
}

// tokens are the lexical elements, in order of precedence; the longest match counts.
var tokens = []struct {
	kind   byte
	syntax *regexp.Regexp
}{
	{'/', longest(`//[^\n]*`)},
	{' ', longest(`[ \t\r]+`)},
	{'\n', longest(`\n`)},
	{kindWord, longest(`\{[A-Za-z0-9_.({,)}-]+\}`)},
	{kindInteger, longest(`-?[0-9]+`)},
	{kindDecimal, longest(`-?[0-9]*\.[0-9]+`)},
	{kindDecimal, longest(`-?([0-9]*\.)?[0-9]+([eE][+-]?[0-9]+)?`)},
	{kindWord, longest(`[A-Za-z_/.-][A-Za-z0-9_/.+({,)}-]*`)},
}

func longest(syntax string) *regexp.Regexp {
	r := regexp.MustCompile(`^(?:` + syntax + `)`)
	r.Longest()
	return r
}

// next returns the first token of a text, and its kind; other characters are tokens of their own.
func next(text string) (token string, kind byte) {
	for _, t := range tokens {
		if found := t.syntax.FindString(text); len(found) > len(token) {
			token, kind = found, t.kind
		}
	}
	if token == "" {
		return text[:1], text[0]
	}
	return token, kind
}

// parse adds the assignments of a text. place returns the place of a token.
func (c *config) parse(text string, place func(line, column int) string) error {
	var command []assignment // tokens of the current command
	line, column := 1, 1
	for text != "" {
		token, kind := next(text)
		at := place(line, column)
		text, column = text[len(token):], column+len(token)
		switch kind {
		case '/', ' ':
		case '\n':
			line, column = line+1, 1
		case ';':
			if err := c.command(command, at); err != nil {
				return err
			}
			command = command[:0]
		default:
			command = append(command, assignment{place: at, text: token, kind: kind})
		}
	}
	if len(command) > 0 {
		return input.Mistake(command[0].place, fmt.Sprintf("%q has no ; at its end", words(command)), "add the ;")
	}
	return nil
}

func words(command []assignment) string {
	var all []string
	for _, token := range command {
		all = append(all, token.text)
	}
	return input.Clip(strings.Join(all, " "))
}

func (c *config) command(tokens []assignment, place string) error {
	if len(tokens) != 3 || tokens[0].kind != kindWord || tokens[1].kind != '=' || kindNames[tokens[2].kind] == "" {
		if len(tokens) > 0 {
			place = tokens[0].place
		}
		return input.Mistake(place, fmt.Sprintf("%q is no command of BookSim", words(tokens)+";"),
			"write KEY = VALUE; with a word, a number, or a list without blanks such as {1,5}")
	}
	a := tokens[2]
	a.place, a.key = tokens[0].place, tokens[0].text
	c.given = append(c.given, a)
	return nil
}

// settle checks keys and types, and keeps the last value of each kind.
func (c *config) settle(wrong *input.Errors) {
	c.last = map[string]map[byte]*assignment{}
	for i := range c.given {
		a := &c.given[i]
		k := c.declared[a.key]
		switch {
		case k == nil:
			wrong.Add(input.Mistake(a.place, "BookSim 2 has no key "+input.Clip(a.key)+", and stops",
				input.DidYouMean(a.key, slices.Sorted(maps.Keys(c.declared)), "delete the line")))
			continue
		case strings.IndexByte(k.kinds, a.kind) < 0:
			wrong.Add(input.Mistake(a.place, fmt.Sprintf("%s = %s: BookSim stops, because this is %s, and the key takes %s",
				a.key, a.text, kindNames[a.kind], kindNames[k.kinds[len(k.kinds)-1]]), remedyOfKind(k, a)))
			continue
		}
		if c.last[a.key] == nil {
			c.last[a.key] = map[byte]*assignment{}
		}
		c.last[a.key][a.kind] = a
	}
}

func remedyOfKind(k *key, a *assignment) string {
	if a.kind == kindInteger && strings.IndexByte(k.kinds, kindDecimal) >= 0 {
		return "write " + a.text + ".0"
	}
	return "write such a value, for example " + k.usual
}

// chosen returns the assignment that counts for a key, nil for the default. A word or a list counts before a number,
// in any order; seeds take a word only if it is time.
func (c *config) chosen(name string) *assignment {
	all := c.last[name]
	for _, kind := range []byte{kindWord, kindDecimal, kindInteger} {
		if a := all[kind]; a != nil && (kind != kindWord || !strings.HasSuffix(name, "seed") || a.text == "time") {
			return a
		}
	}
	return nil
}

func (c *config) text(name string) string {
	if a := c.chosen(name); a != nil {
		return a.text
	}
	return c.declared[name].usual
}

func (c *config) place(name string) string {
	if a := c.chosen(name); a != nil {
		return a.place
	}
	return c.name
}

// integer returns an integer as BookSim reads it: the digits at the beginning of the text.
func (c *config) integer(name string) int { return leadingInteger(c.text(name)) }

var leadingDigits = regexp.MustCompile(`^[+-]?[0-9]*`)

func leadingInteger(text string) int {
	n, _ := strconv.Atoi(leadingDigits.FindString(text))
	return n
}

func (c *config) decimal(name string) float64 {
	f, _ := strconv.ParseFloat(c.text(name), 64)
	return f
}

// list returns the elements of a list in braces, which may contain lists. Another text is a list of one element.
func list(text string) (all []string) {
	if text == "" || text[0] != '{' {
		if text != "" {
			all = append(all, text)
		}
		return all
	}
	depth, start := 0, 1
	for i := 1; i < len(text); i++ {
		switch at := text[i]; {
		case at == '{':
			depth++
		case at == '}' && depth > 0:
			depth--
		case depth == 0 && (at == ',' || at == '}'):
			if i > start {
				all = append(all, text[start:i])
			}
			start = i + 1
		}
	}
	return all
}

func integers(text string) (all []int) {
	for _, element := range list(text) {
		all = append(all, leadingInteger(element))
	}
	return all
}

// call splits NAME(PARAMETER,...) into name and parameters.
func call(text string) (name string, parameters []string) {
	name, rest, some := strings.Cut(text, "(")
	if !some {
		return name, nil
	}
	if end := strings.LastIndexByte(rest, ')'); end >= 0 {
		rest = rest[:end]
	}
	if rest != "" && rest[0] != '{' {
		return name, []string{rest}
	}
	return name, list(rest)
}
