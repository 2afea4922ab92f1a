package pinmap

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Pin is a reference to an RTL pin in a map.
type Pin struct {
	Name      string
	High, Low int // -1: whole pin
	Inverted  bool
}

var pinText = regexp.MustCompile(
	`^(~?)([A-Za-z_][A-Za-z0-9_$]*(?:\.[A-Za-z_][A-Za-z0-9_$]*|\[\d{1,8}\])*?)(?:\[(\d{1,8})(?::(\d{1,8}))?\])?$`)

// ParsePin parses NAME, NAME[3] or NAME[7:4], with a leading ~ for its inverse. NAME may select from a structure, an
// array or an interface: req.data, data[3], bus.valid.
func ParsePin(text string) (pin Pin, ok bool) {
	parts := pinText.FindStringSubmatch(text)
	if parts == nil {
		return Pin{}, false
	}
	pin = Pin{Name: parts[2], High: -1, Low: -1, Inverted: parts[1] != ""}
	if parts[3] != "" {
		pin.High, _ = strconv.Atoi(parts[3])
		if pin.Low = pin.High; parts[4] != "" {
			pin.Low, _ = strconv.Atoi(parts[4])
		}
	}
	return pin, true
}

// An Item is an entry of a port's wiring: a pin, a number, or a function of items.
type Item struct {
	Text     string
	Function string // key of functions; "" for a pin or a number
	Of       []Item
	Pin      Pin // valid if IsPin
	IsPin    bool
	Inverted bool // the item is inverted; for pins see Pin.Inverted

	// Number holds the bits of a number, low bit first; nil for a plain 0 or 1, which fills the rest of a join.
	Number []bool
	One    bool
}

var functions = map[string]int{"reverse": 1, "onehot": 2, "onehot1": 1, "index": 1, "low": 1, "less1": 1, "when": 2}

const itemHelp = "write NAME, NAME[3] or NAME[7:4], preceded by ~ for the inverse; 2'b01; 0 for the rest of a " +
	"join, which is a list: [0, NAME]; " +
	"or reverse(PIN), low(PIN), onehot(INDEX), onehot(INDEX, VALID), index(ONEHOT); onehot1(INDEX) and less1(INDEX) of " +
	"an index that counts from 1; " +
	"when(PIN, VALID), 0 while VALID is 0"

var (
	callText   = regexp.MustCompile(`^(~?)([a-z]+1?) ?\((.*)\)$`)
	numberText = regexp.MustCompile(`^(~?)(\d{1,4})'([bodhBODH])([0-9a-fA-F_]+)$`)
)

// ParseItem parses an item. why describes the error, "" for none.
func ParseItem(text string) (item Item, why string) {
	text = strings.TrimSpace(text)
	item.Text = text
	if text == "0" || text == "1" {
		item.One = text == "1"
		return item, ""
	}
	if parts := numberText.FindStringSubmatch(text); parts != nil {
		item.Inverted = parts[1] != ""
		if item.Number = numberBits(parts[2], parts[3], parts[4]); item.Number == nil {
			return item, fmt.Sprintf("%q does not fit into its bits", text)
		}
		return item, ""
	}
	if parts := callText.FindStringSubmatch(text); parts != nil {
		item.Inverted, item.Function = parts[1] != "", parts[2]
		most, ok := functions[item.Function]
		if !ok {
			return item, fmt.Sprintf("there is no function %s", item.Function)
		}
		for _, argument := range arguments(parts[3]) {
			of, why := ParseItem(argument)
			switch {
			case why != "":
				return item, why
			case of.Flexible():
				return item, fmt.Sprintf("%s in %s has no width of its own", of.Text, text)
			}
			item.Of = append(item.Of, of)
		}
		if len(item.Of) > most {
			return item, fmt.Sprintf("%s has %d arguments", text, len(item.Of))
		}
		return item, ""
	}
	pin, ok := ParsePin(text)
	if !ok {
		return item, fmt.Sprintf("%q is not a pin", text)
	}
	item.Pin, item.IsPin = pin, true
	return item, ""
}

// Flexible reports whether an item fills the remaining bits of a join.
func (i *Item) Flexible() bool {
	return i.Function == "onehot" || i.Function == "onehot1" || i.Function == "index" || i.Function == "low" ||
		!i.IsPin && i.Function == "" && i.Number == nil
}

// Fixed returns the bits of a number, low bit first. For a plain 0 or 1 it returns a single bit.
func (i *Item) Fixed() (bits []bool) {
	if i.Number == nil {
		return []bool{i.One}
	}
	for _, b := range i.Number {
		bits = append(bits, b != i.Inverted)
	}
	return bits
}

func arguments(text string) (all []string) {
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			all, from = append(all, text[from:i]), i+1
		}
	}
	return append(all, text[from:])
}

func numberBits(width, base, digits string) []bool {
	bits, _ := strconv.Atoi(width)
	digits = strings.ReplaceAll(digits, "_", "")
	per := map[string]int{"b": 1, "o": 3, "h": 4}[strings.ToLower(base)]
	if per == 0 {
		value, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return nil
		}
		digits, per = strconv.FormatUint(value, 2), 1
	}
	var all []bool
	for i := range digits {
		value, err := strconv.ParseUint(digits[len(digits)-1-i:][:1], 1<<per, 8)
		if err != nil {
			return nil
		}
		for bit := range per {
			all = append(all, value>>bit&1 != 0)
		}
	}
	for len(all) < bits {
		all = append(all, false)
	}
	if bits == 0 || slices.Contains(all[bits:], true) {
		return nil
	}
	return all[:bits]
}
