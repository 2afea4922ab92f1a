package estimate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"time"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/emulator"
	"starloom/internal/runs"
	"starloom/traces/input/strict"
)

// Runs is the subject of an estimate: a scenario as a command would run it.
type Runs struct {
	// At returns the scenario at a size larger by steps, which may be negative, and the differing keys. It returns
	// nil if there is no such size.
	At      func(steps int) (*runs.Batch, []Key, error)
	Many    bool // the scenario is run once for each of Seeds instead of once
	Seeds   outcome.Seeds
	Options runs.Options
	Inputs  []string
	Keys    any // all keys of the scenario with an effect on the cost, as JSON
}

// Of estimates a run. longest is the time limit for the measurement of one size, 0 for LongestDefault. cache is the
// folder of cached measurements, "" for none. again ignores cached measurements.
func Of(ctx context.Context, r Runs, longest time.Duration, cache string, again bool) (*Estimate, error) {
	check := r.Options.CheckOne
	if r.Many {
		check = func() error { return r.Options.CheckSeeds(r.Seeds) }
	}
	if err := check(); err != nil {
		return nil, err
	}
	at := func(steps int) (*Size, error) {
		b, keys, err := r.At(steps)
		if b == nil || err != nil {
			return nil, err
		}
		return r.size(ctx, b, keys)
	}
	return of(ctx, subject{at}, longest, open(cache, r.identity(), again))
}

func (r *Runs) size(ctx context.Context, b *runs.Batch, keys []Key) (size *Size, err error) {
	options := b.Options
	options.Watched = r.Options.Record.VCD.Given()
	size = &Size{Scenario: b.Config.Name, Keys: keys, Processors: b.Config.Network.Shape().Processors(),
		SlotsMax: b.Config.Slots}
	size.Run = func(ctx context.Context, progress func(Progress)) error { return r.run(ctx, *b, progress) }
	options.Packets = options.Packets || b.Config.Bare() && r.Options.Packets.Given()
	if bytes := b.Config.Network.Abilities().Memory.Slot; bytes != nil {
		size.SlotBytes = bytes(&b.Config.Workload)
	}
	if size.Memory, size.Engine, err = emulator.Weigh(ctx, b.Config, options); err != nil {
		return nil, err
	}
	return size, nil
}

func (r *Runs) run(ctx context.Context, b runs.Batch, progress func(Progress)) error {
	own := r.Options
	remove, err := own.ToTemporary()
	if err != nil {
		return err
	}
	defer remove()
	own.Progress = func(p runs.Progress) {
		progress(Progress{Slots: p.Slots, Runs: p.Runs, Of: p.RunsTotal, Repeated: p.Repeated})
	}
	if r.Many {
		_, err = b.RunSeeds(ctx, own)
	} else {
		_, err = b.Run(ctx, own)
	}
	return err
}

// identity returns everything with an effect on the cost, except executable and machine, or "" if this is unknown.
func (r *Runs) identity() string {
	b, _, err := r.At(0)
	if b == nil || err != nil {
		return ""
	}
	keys, err := json.Marshal(r.Keys)
	if err != nil {
		return ""
	}
	text := fmt.Sprintf("%s %s %+v %v %v %v", b.Config.Source.Hash(), keys, b.Options, r.Options.Asked(), r.Many, b.Seeds)
	for _, path := range r.Inputs {
		if info, err := os.Stat(path); err == nil {
			text += fmt.Sprint(" ", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return text
}

// Differences returns the integer keys at path whose values differ between one and other, with their values in other.
func Differences(path string, one, other any) (keys []Key) {
	from, to := reflect.Indirect(reflect.ValueOf(one)), reflect.Indirect(reflect.ValueOf(other))
	for _, field := range strict.Fields(to.Type()) {
		if x, y := from.FieldByIndex(field.Index), to.FieldByIndex(field.Index); y.CanInt() && x.Int() != y.Int() {
			keys = append(keys, Key{strict.Join(path, field.Key), int(y.Int())})
		}
	}
	return keys
}

// Less returns the network with its only size reduced by a number. It returns nil if resizing changes several keys or
// is impossible.
func Less(n fabric.Network, by int) fabric.Network {
	half := fabric.Resized(n, -1)
	if half == nil {
		return nil
	}
	from, to := reflect.Indirect(reflect.ValueOf(n)), reflect.Indirect(reflect.ValueOf(half))
	less := reflect.New(from.Type()).Elem()
	less.Set(from)
	sizes := 0
	for _, field := range strict.Fields(to.Type()) {
		if x, y := from.FieldByIndex(field.Index), to.FieldByIndex(field.Index); y.CanInt() && x.Int() != y.Int() {
			less.FieldByIndex(field.Index).SetInt(x.Int() - int64(by))
			sizes++
		}
	}
	if other, ok := less.Interface().(fabric.Network); ok && sizes == 1 {
		return other
	}
	return nil
}

// One measures a run with the batch's own seed until the run ends or reaches a limit.
func One(ctx context.Context, b *runs.Batch, longest time.Duration) (*Measured, error) {
	r := Runs{}
	one := *b
	one.Permutations, one.Rates = 0, nil
	size := &Size{Processors: b.Config.Network.Shape().Processors(), SlotsMax: b.Config.Slots}
	size.Run = func(ctx context.Context, progress func(Progress)) error { return r.run(ctx, one, progress) }
	return probe(ctx, size, longest)
}

// Time returns the measured processor time. For an unfinished run it is a lower bound.
func (m *Measured) Time() time.Duration { return m.total() }

// Grown predicts the time of a size from measurements of other sizes, sorted by size.
func Grown(measured []*Measured, processors int) time.Duration {
	var points []point
	for _, m := range measured {
		points = append(points, point{float64(m.Processors), float64(m.total())})
	}
	n := float64(processors)
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; n < b.n && a.n < b.n {
			return time.Duration(fitted([]point{a, b}, n))
		}
	}
	return time.Duration(fitted(points, n))
}
