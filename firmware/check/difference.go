package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/internal/emulator"
)

const shownBytes = 16

func (c *checker) explain(first, other *Run, reports [2][]byte) (err error) {
	d := &Difference{Runs: [2]int{0, slices.IndexFunc(c.report.Runs, func(r Run) bool { return !r.Same })}}
	c.report.Difference = d
	var machines [2]*emulator.Machine
	for i, run := range []*Run{first, other} {
		m, err := c.machine(run)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.Release()) }()
		for k := range m.Shards {
			m.Shards[k].Ledger.Capture = true
		}
		machines[i] = m
	}
	a, b := machines[0], machines[1]
	for !a.Ended() && !b.Ended() && d.SeenSlot == nil {
		if err := errors.Join(c.ctx.Err(), a.Step(), b.Step()); err != nil {
			return err
		}
		if !d.Found {
			c.difference(d, a, b)
		}
		if a.Digest != b.Digest {
			seen := int64(a.Slots())
			d.SeenSlot = &seen
		}
	}
	if d.Found {
		if err := c.before(d, a); err != nil {
			return err
		}
	} else {
		d.Field, d.First, d.Other = firstField(fieldsOf(reports[0]), fieldsOf(reports[1]))
	}
	d.Cause, d.Remedy = c.cause(d)
	return nil
}

func (c *checker) difference(d *Difference, a, b *emulator.Machine) {
	sentA, sentB := SentBy(a), SentBy(b)
	for p := range a.Shape.Processors() {
		itemsA, itemsB := ItemsOf(a, p, sentA[p]), ItemsOf(b, p, sentB[p])
		k := 0
		for k < len(itemsA) && k < len(itemsB) && itemsA[k].Name == itemsB[k].Name &&
			bytes.Equal(itemsA[k].Bytes, itemsB[k].Bytes) {
			k++
		}
		if k == len(itemsA) && k == len(itemsB) {
			continue
		}
		if d.Processors++; d.Found {
			continue
		}
		d.Found, d.Slot, d.Processor, d.Path = true, a.Slots(), p, a.Names.Processor(p)
		// one machine may lack a frame of the other
		if k == len(itemsA) || k < len(itemsB) && itemsA[k].Name != itemsB[k].Name && find(itemsA, itemsB[k].Name) == nil {
			d.Item, d.Other = itemsB[k].Name, shown(itemsB[k].Bytes)
			continue
		}
		d.Item = itemsA[k].Name
		bytesA, bytesB := itemsA[k].Bytes, find(itemsB, d.Item)
		for d.Offset < min(len(bytesA), len(bytesB)) && bytesA[d.Offset] == bytesB[d.Offset] {
			d.Offset++
		}
		d.First, d.Other = shown(bytesA[d.Offset:]), shown(bytesB[min(d.Offset, len(bytesB)):])
	}
}

func (c *checker) before(d *Difference, m *emulator.Machine) error {
	if err := m.Reset(c.config.Seed); err != nil || d.Slot < 2 {
		return err // the first step has two boundaries
	}
	for m.Slots() < d.Slot-1 && !m.Ended() {
		if err := m.Step(); err != nil {
			return err
		}
	}
	if item := find(ItemsOf(m, d.Processor, nil), d.Item); len(item) > d.Offset {
		d.Before = shown(item[d.Offset:])
	}
	return nil
}

// Item is a compared part of a processor's state.
type Item struct {
	Name  string
	Bytes []byte
}

func find(items []Item, name string) []byte {
	for _, item := range items {
		if item.Name == name {
			return item.Bytes
		}
	}
	return nil
}

func shown(bytes []byte) string { return fmt.Sprintf("%x", bytes[:min(len(bytes), shownBytes)]) }

// ItemsOf returns the compared parts of a processor after a boundary, beginning with the frames of the next slot.
func ItemsOf(m *emulator.Machine, processor int, sent []fabric.Captured) (items []Item) {
	for k, frame := range sent {
		items = append(items, Item{fmt.Sprintf("sent_frame[%d] to port %d", k, frame.Port), frame.Frame})
	}
	bank, cell := m.Cell(processor)
	bank.Parts(cell, m.Slots(), func(name string, part []byte) {
		items = append(items, Item{name, slices.Clone(part)})
	})
	return items
}

// SentBy returns the frames that processors put on the fabric at the last boundary, by processor.
func SentBy(m *emulator.Machine) map[int][]fabric.Captured {
	sent := map[int][]fabric.Captured{}
	for i := range m.Shards {
		for _, frame := range m.Shards[i].Ledger.Sent {
			sent[frame.Processor] = append(sent[frame.Processor], frame)
		}
	}
	for _, frames := range sent {
		slices.SortStableFunc(frames, func(a, b fabric.Captured) int { return cmp.Compare(a.Port, b.Port) })
	}
	return sent
}

type reportField struct{ path, value string }

func fieldsOf(report []byte) (fields []reportField) {
	decoder := json.NewDecoder(bytes.NewReader(report))
	decoder.UseNumber()
	var walk func(path string)
	walk = func(path string) {
		token, err := decoder.Token()
		if err != nil {
			panic(fmt.Sprintf("a report is not JSON: %v", err)) // encoded by WriteJSON
		}
		open, ok := token.(json.Delim)
		if !ok {
			fields = append(fields, reportField{path, fmt.Sprint(token)})
			return
		}
		for k := 0; decoder.More(); k++ {
			if open == '[' {
				walk(fmt.Sprintf("%s[%d]", path, k))
				continue
			}
			key, _ := decoder.Token()
			walk(strings.TrimPrefix(fmt.Sprintf("%s.%s", path, key), "."))
		}
		_, _ = decoder.Token() // closing delimiter
	}
	walk("")
	return fields
}

func firstField(first, other []reportField) (path, inFirst, inOther string) {
	k := 0
	for k < len(first) && k < len(other) && first[k] == other[k] {
		k++
	}
	at := func(path string) func(reportField) bool {
		return func(f reportField) bool { return f.path == path }
	}
	switch {
	case k < len(first) && k < len(other) && first[k].path == other[k].path:
		return first[k].path, first[k].value, other[k].value
	case k < len(first) && !slices.ContainsFunc(other, at(first[k].path)):
		return first[k].path, first[k].value, ""
	case k < len(other):
		return other[k].path, "", other[k].value
	}
	return "", "", ""
}

// cause returns the usual cause of a difference and its remedy. All earlier runs agree with the first run, so a
// difference in a metered or interpreted run, or in another engine, has only this cause.
func (c *checker) cause(d *Difference) (cause, remedy string) {
	first, other := &c.report.Runs[0], &c.report.Runs[d.Runs[1]]
	report := fmt.Sprintf("see both with `starloom run` and --json: %s; %s. Report it with the scenario and the image",
		texts.Say("options", first), texts.Say("options", other))
	switch {
	case other.Metered != first.Metered:
		return "the metered and the unmetered copy of the image differ, which no firmware should be able to cause", report
	case other.Runtime != first.Runtime && len(c.recursive) > 0:
		return "compiler and interpreter differ, usually because of a known limit: the firmware has " +
				firmware.RecursionText(c.recursive),
			"end the recursion earlier, or replace it with a loop"
	case other.Runtime != first.Runtime:
		return "compiler and interpreter differ, which no firmware without recursion should be able to cause: " +
			"one of the two executes the image incorrectly, but the check cannot tell which", report
	case other.Engine != first.Engine:
		return "only the engine differs, which no firmware should be able to cause", report
	}
	for _, nearest := range []func(Write) bool{
		func(w Write) bool { return w.Harms() && w.Grown == 0 },
		func(w Write) bool { return !w.Harms() },
		Write.Harms,
	} {
		if k := slices.IndexFunc(c.report.Writes, nearest); k >= 0 {
			w := &c.report.Writes[k]
			return w.Text(), w.Remedy()
		}
	}
	if !d.Found {
		return "no handler was seen writing outside its processor's memory, and no state differs", report
	}
	return "no handler was seen writing outside its processor's memory; a handler may use its position in the bank " +
			"(nic->cell) " +
			"or an address, " +
			"which another layout of the bank changes",
		"use sl_self(nic) as the number of a processor; " + remedyOwnState + ", and no addresses in it"
}
