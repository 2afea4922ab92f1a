package pinmap

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"starloom/cosim"
)

type joined struct {
	Item
	key  string
	bits int
	pins []Bit // bits of a pin, low bit first
	of   []joined
}

// first returns the first value of an index. onehot1 reserves 0 for none.
func (j *joined) first() int {
	if j.Function == "onehot1" {
		return 1
	}
	return 0
}

func (j *joined) valuesText(values int) string {
	if j.first() > 0 {
		return fmt.Sprintf("%d values beside 0", values)
	}
	return fmt.Sprintf("%d values", values)
}

func (w *wirer) items(key string, isInput bool, p Wiring) (items []joined, err error) {
	items = make([]joined, len(p.Pins))
	for i, text := range p.Pins {
		at := key
		if len(p.Pins) > 1 {
			at = fmt.Sprintf("%s[%d]", key, i)
		}
		item, why := ParseItem(text)
		if why != "" {
			return nil, w.refuse(at, why, itemHelp)
		}
		if items[i], err = w.findPins(at, item, isInput, false); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// findPins resolves the pins of an item. An input may be driven only once. An output that a function uses may have
// other uses as well.
func (w *wirer) findPins(key string, item Item, isInput, within bool) (joined, error) {
	j := joined{Item: item, key: key, bits: len(item.Number)}
	if item.IsPin {
		var err error
		if j.pins, err = w.bitsOfPin(key, item.Pin, isInput); err == nil && (isInput || !within) {
			err = w.take(key, j.pins)
		}
		j.bits = len(j.pins)
		return j, err
	}
	switch {
	case isInput && item.Function == "less1":
		return j, w.refuse(key, item.Text+" is for outputs of the RTL", "map an input from one bit per requester: "+
			"onehot1(INDEX)")
	case isInput && item.Function == "when":
		return j, w.refuse(key, item.Text+" is for outputs of the RTL", "name the pin alone: an input has the model's value")
	case item.Function == "when" && len(item.Of) != 2:
		return j, w.refuse(key, item.Text+" has no condition", "write when(PIN, VALID): 0 while VALID is 0")
	}
	for _, argument := range item.Of {
		of, err := w.findPins(key, argument, isInput, true)
		if err != nil {
			return j, err
		}
		if j.of = append(j.of, of); item.Function == "when" && len(j.of) == 2 && of.bits != 1 {
			return j, w.refuse(key, fmt.Sprintf("%s has %d bits", of.Text, of.bits), "name one bit, which is 1 if the pin "+
				"counts")
		}
		if item.Function == "reverse" || item.Function == "less1" || item.Function == "when" {
			j.bits = j.of[0].bits
		}
	}
	return j, nil
}

// fit assigns the remaining bits of a port to the item without a width and rejects items that do not fit the port.
func (w *wirer) fit(key string, port cosim.Port, p Wiring, items []joined) error {
	total, flexible := 0, -1
	for i := range items {
		if !items[i].Flexible() {
			total += items[i].bits
			continue
		}
		if flexible >= 0 {
			return w.refuse(items[i].key,
				fmt.Sprintf("%s and %s both fill the rest of %s", items[flexible].Text, items[i].Text, port.Name),
				"give numbers a width, as in 2'b00, and use only one of low, onehot, onehot1 and index in a join")
		}
		flexible = i
	}
	switch {
	case flexible < 0 && total == port.Bits:
		return nil
	case flexible < 0 || total >= port.Bits:
		return w.misfit(key, port, p, total)
	}
	item := &items[flexible]
	item.bits = port.Bits - total
	return w.fits(item, port)
}

func (w *wirer) fits(item *joined, port cosim.Port) error {
	refuse := func(reason, remedy string) error {
		return w.refuse(item.key,
			fmt.Sprintf("%s stands for %s of %s, but %s", item.Text, cosim.BitsText(item.bits), port.Name, reason), remedy)
	}
	if len(item.of) == 0 {
		return nil
	}
	of := item.of[0].bits
	switch item.Function {
	case "low":
		if of < item.bits {
			return refuse(fmt.Sprintf("it has %d", of), fmt.Sprintf("write [0, %s]: the other bits are 0", item.of[0].Text))
		}
	case "onehot", "onehot1":
		if of > 16 {
			return refuse("its index has more than 16 bits",
				"name the low bits of the index, and map the other bits elsewhere")
		}
		if values := 1<<of - item.first(); values < item.bits {
			return refuse(fmt.Sprintf("an index of %s has %s", cosim.BitsText(of), item.valuesText(values)),
				fmt.Sprintf("give both the same size by params of the RTL or parameters of the model, or write [%d'd0, %s]: the "+
					"other bits are 0", item.bits-values, item.Text))
		}
		if len(item.of) > 1 && item.of[1].bits != 1 {
			return refuse(fmt.Sprintf("%s has %d bits", item.of[1].Text, item.of[1].bits),
				"name one bit, which is 1 if the index is valid")
		}
	case "index":
		if needed := bits.Len(uint(of - 1)); needed > item.bits {
			return refuse(fmt.Sprintf("an index of %d pins needs %d", of, needed),
				"name fewer pins, or widen the model by parameters")
		}
	}
	return nil
}

func (w *wirer) misfit(key string, port cosim.Port, p Wiring, total int) error {
	remedy := "give both the same width by params of the RTL or parameters of the model"
	if total < port.Bits && !port.Input {
		remedy = fmt.Sprintf("if the upper bits are 0, write [0, %s]; or leave this output out and compare the others: "+
			"absent: "+
			"[%s]; or %s",
			strings.Join(p.Pins, ", "), port.Name, remedy)
	}
	text := p.Pins[0]
	pin, isPin := ParsePin(text)
	if coded := len(p.Pins) == 1 && isPin && total < port.Bits; coded && total <= 16 && 1<<total >= port.Bits {
		remedy += fmt.Sprintf(", or, for a number, write onehot(%s), or onehot1(%s) if it counts from 1 and 0 means "+
			"none", text,
			text)
	}
	switch {
	case total < port.Bits:
		remedy += ", or join several pins, the highest first: [" + strings.TrimPrefix(text, "~") + ", OTHER]"
		if port.Input {
			remedy += fmt.Sprintf(", or limit the input to the range of the pin: [0, %s]", strings.Join(p.Pins, ", "))
		}
	case len(p.Pins) == 1 && isPin && pin.High < 0:
		remedy += fmt.Sprintf(", or use only the low bits, if the others are 0: low(%s)", text)
	default:
		remedy += ", or name fewer bits"
	}
	return w.refuse(key,
		fmt.Sprintf("%s has %s, but %s of %s has %d", strings.Join(p.Pins, ", "), cosim.BitsText(total),
			port.Name, w.Model, port.Bits),
		remedy)
}

type joiner struct {
	*wirer
	port int
	text string
}

// value returns the bits of an item in terms of RTL pins. For outputs, it also adds the limits that the item
// requires.
func (j *joiner) value(item joined, isInput bool) []Bit {
	w := j.wires
	all := make([]Bit, item.bits)
	limit := func(is, must Bit, of []Bit, why string) {
		if !isInput {
			w.limit(Limit{j.port, is, must, j.text, of, why})
		}
	}
	switch {
	case item.IsPin:
		return item.pins
	case item.Number != nil:
		for i, b := range item.Number {
			all[i] = one(b)
		}
	case item.Function == "":
		for i := range all {
			all[i] = one(item.One)
		}
	case item.Function == "reverse":
		copy(all, j.value(item.of[0], isInput))
		slices.Reverse(all)
	case item.Function == "when":
		of, valid := j.value(item.of[0], isInput), j.value(item.of[1], isInput)
		for i, b := range of {
			all[i] = w.gate(true, b, valid[0])
		}
	case item.Function == "less1":
		of := j.value(item.of[0], isInput)
		for i, b := range of {
			all[i] = w.differ(b, w.decode(of[:i], 0))
		}
	case item.Function == "low":
		of := j.value(item.of[0], isInput)
		copy(all, of)
		for _, cut := range of[item.bits:] {
			limit(cut, one(false), of, fmt.Sprintf("discarded bits of %s are not 0", item.of[0].Text))
		}
	case item.Function == "onehot" || item.Function == "onehot1":
		limit(j.oneHot(all, item, isInput), one(true), j.value(item.of[0], isInput),
			item.of[0].Text+" is an index that is too large")
	case item.Function == "index":
		hot := j.value(item.of[0], isInput)
		copy(all, w.encode(hot, bits.Len(uint(len(hot)-1))))
		if len(hot) > 1 && !isInput {
			limit(w.several(hot), one(false), hot, fmt.Sprintf("more than one bit of %s is 1", item.of[0].Text))
		}
	}
	if item.Inverted {
		for i := range all {
			all[i] = all[i].Not()
		}
	}
	return all
}

// oneHot sets all to the one-hot code of an item's index. It returns a bit that is 1 while the index is in range.
func (j *joiner) oneHot(all []Bit, item joined, isInput bool) (within Bit) {
	w, index, first := j.wires, j.value(item.of[0], isInput), item.first()
	var valid []Bit
	if len(item.of) > 1 {
		valid = j.value(item.of[1], isInput)
	}
	for k := range all {
		all[k] = w.decode(index, k+first, valid...)
	}
	if isInput || 1<<len(index) <= len(all)+first {
		return one(true)
	}
	any := slices.Clone(all)
	if first > 0 {
		any = append(any, w.decode(index, 0))
	}
	for _, v := range valid {
		any = append(any, v.Not())
	}
	return w.gate(false, any...)
}

func (j *joiner) drive(item joined, by []Bit) {
	w := j.wires
	if item.Inverted {
		by = slices.Clone(by)
		for i := range by {
			by[i] = by[i].Not()
		}
	}
	switch {
	case item.IsPin:
		for i, pin := range item.pins {
			j.driveBit(pin, by[i])
		}
	case item.Number != nil || item.Function == "":
		for i, b := range by {
			w.limit(Limit{Port: j.port, Is: b, Must: one(item.One || item.Number != nil && item.Number[i]), Text: j.text})
		}
	case item.Function == "reverse":
		by = slices.Clone(by)
		slices.Reverse(by)
		j.drive(item.of[0], by)
	case item.Function == "low":
		j.drive(item.of[0], append(slices.Clone(by), make([]Bit, item.of[0].bits-item.bits)...))
	case item.Function == "onehot" || item.Function == "onehot1":
		j.driveIndex(item, by)
	case item.Function == "index":
		hot := make([]Bit, item.of[0].bits)
		for k := range hot {
			hot[k] = w.decode(by, k)
		}
		if 1<<min(item.bits, 16) > len(hot) {
			w.limit(Limit{Port: j.port, Is: w.gate(false, hot...), Must: one(true), Text: j.text})
		}
		j.drive(item.of[0], hot)
	}
}

func (j *joiner) driveIndex(item joined, by []Bit) {
	w := j.wires
	j.drive(item.of[0], w.encode(append(make([]Bit, item.first()), by...), item.of[0].bits))
	if len(by) > 1 {
		w.limit(Limit{Port: j.port, Is: w.several(by), Must: one(false), Text: j.text})
	}
	if item.first() > 0 {
		return
	}
	any := w.gate(false, by...)
	if len(item.of) > 1 {
		j.drive(item.of[1], []Bit{any})
	} else {
		w.limit(Limit{Port: j.port, Is: any, Must: one(true), Text: j.text})
	}
}
