package starloom

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/traces/input"
)

// neverShown is the number of slots of an endless run that a page shows after the first state that returns.
const neverShown = 24

// drawnSlots returns the number of slots of a schedule's run that a page shows: up to shortly after the violation.
func drawnSlots(r *ExploreReport) uint32 {
	switch v := &r.Violations[0]; {
	case r.Deadlock != nil:
		return r.Deadlock.Since + neverShown/4
	case r.Never != nil:
		return r.Never.First + min(r.Never.Period, neverShown)
	default:
		return uint32(v.Slot) + 1
	}
}

// drawSchedule draws and narrates the run with a schedule, and draws the run without it. Runs without a timeline have
// no picture.
func (s *Scenario) drawSchedule(r *ExploreReport, one *Scenario) error {
	folder, err := os.MkdirTemp("", "starloom")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	short := RunOptions{BreakOn: Break{Slot: drawnSlots(r)}, State: StateFiles{Save: filepath.Join(folder, "state")}}
	for k, run := range []struct {
		s       *Scenario
		o       RunOptions
		caption string
	}{{one, short, "The run of the schedule."}, {s, short, "The run without these faults, up to the same slot."}} {
		if k == 1 && len(r.Schedule) == 0 {
			break
		}
		var drawn bytes.Buffer
		o := run.o
		o.SVG, o.Reports = Pictures{Timeline: Writer(&drawn)}, ReportFiles{HTML: Writer(io.Discard)}
		report, err := Run(context.Background(), run.s, o)
		if refused(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, x := range report.Aside.Pictures {
			if bytes.Equal(x.SVG, drawn.Bytes()) {
				x.Caption = run.caption + unjudged(r, report)
				r.Pictures = append(r.Pictures, x)
			}
		}
	}
	r.Acts, err = one.narrate(r, short)
	return err
}

// unjudged names the first violation of a run if it precedes the violation that an exploration found.
func unjudged(r *ExploreReport, run *Report) string {
	if len(run.Violations) == 0 || run.Violations[0].Slot >= r.Violations[0].Slot ||
		run.Violations[0].Rule == r.Violations[0].Rule {
		return ""
	}
	v := &run.Violations[0]
	return fmt.Sprintf(" It breaks %s in slot %d, too, at %s; the search does not judge that.", v.Rule, v.Slot, v.Path)
}

func refused(err error) bool {
	var mistake *input.Error
	return errors.As(err, &mistake)
}

// narratedMax bounds the processors of a narration, and actsMax its lines. A longer narration has a gap before its
// last lines.
const (
	narratedMax = 8
	actsMax     = 48
	actsLast    = 12
)

// narrate returns what handlers received, did and changed in a run, and the faults, from the slot before the first
// fault on.
func (s *Scenario) narrate(r *ExploreReport, o RunOptions) (acts []outcome.ExploredAct, err error) {
	n := s.Fabric.network()
	if n.Shape().Processors() > narratedMax {
		return nil, nil
	}
	first := uint32(0)
	for i, f := range r.Schedule {
		kind := slices.Index(fabric.FaultNames[:], f.Kind)
		late := fabric.FaultKind(kind).OnMedia() // after the handlers of its slot
		acts = append(acts, outcome.ExploredAct{Slot: f.Slot, Path: f.Target, Text: "fault: " + f.Kind, Fault: true,
			Late: late})
		if before := f.Slot - min(f.Slot, 1); i == 0 || before < first {
			first = before
		}
	}
	for processor := range n.Shape().Processors() {
		var text bytes.Buffer
		o.Replay = ReplayOptions{Output: Writer(&text), Processor: processor, Variables: true}
		_, err := Run(context.Background(), s, o)
		if refused(err) { // no debug information
			text.Reset()
			o.Replay.Variables = false
			_, err = Run(context.Background(), s, o)
		}
		if refused(err) {
			return nil, nil // no replay of this firmware
		}
		if err != nil {
			return nil, err
		}
		acts = append(acts, actsOf(text.String(), n.Names().Processor(processor), first)...)
	}
	slices.SortStableFunc(acts, func(a, b outcome.ExploredAct) int {
		if a.Slot != b.Slot {
			return int(a.Slot) - int(b.Slot)
		}
		return a.Order() - b.Order()
	})
	if more := len(acts) - actsMax; more > 0 {
		gap := outcome.ExploredAct{Slot: acts[actsMax-actsLast].Slot, Text: fmt.Sprintf("%d more lines", more)}
		acts = slices.Concat(acts[:actsMax-actsLast], []outcome.ExploredAct{gap}, acts[len(acts)-actsLast:])
	}
	return acts, nil
}

var replayLine = regexp.MustCompile(`^slot (\d+)(?:, restarted)?( state)?: ?(.*)$`)

// actsOf reads a replay: for each call of a handler a line, and one for its changed variables.
func actsOf(replay, path string, first uint32) (acts []outcome.ExploredAct) {
	for line := range strings.Lines(replay) {
		m := replayLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		slot, err := strconv.ParseUint(m[1], 10, 32)
		if err != nil || uint32(slot) < first {
			continue
		}
		text := strings.TrimSuffix(m[3], ";")
		k := len(acts) - 1
		switch {
		case text == "":
		case k >= 0 && m[2] != "" && acts[k].Slot == uint32(slot):
			acts[k].Text += "; " + text
		default:
			acts = append(acts, outcome.ExploredAct{Slot: uint32(slot), Path: path, Text: text})
		}
	}
	return acts
}
