package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/runs"
	"starloom/internal/slurm"
	"starloom/internal/sweep/folder"
	"starloom/internal/sweep/plan"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Case is the work of a point.
type Case struct {
	Batch  *runs.Batch
	Inputs []string // input files, relative to the working folder
}

// Elaborate builds the case of a scenario with some keys set.
type Elaborate func(place string, data []byte, set ...strict.Assignment) (*Case, error)

type point struct {
	plan.Point
	index      int
	key        string // hash of everything that determines the results
	memory     uint64
	processors int
	kind       string // the run times of points of one kind grow alike
	seeds      outcome.Seeds
	total      uint64
	missing    []uint64
	took       time.Duration // of the runs of this process
}

func (p *point) wants(r *folder.Record) bool {
	return r.Seed >= p.seeds.First && r.Seed <= p.seeds.Last
}

type sweeper struct {
	Options
	path       string
	plan       *plan.Plan
	settings   *slurm.Settings
	cluster    *slurm.Cluster
	make       Elaborate
	folder     *folder.Folder
	workers    int
	executable string

	done, total uint64
}

type checker struct {
	*sweeper
	files files
	rtl   sync.Map // RTL that is already built into a machine
}

func (c *checker) checkAll(ctx context.Context, points []plan.Point) ([]*point, error) {
	checked, errs := make([]*point, len(points)), make([]error, len(points))
	var next atomic.Int64
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(c.workers, len(points)) {
		wg.Go(func() {
			for !failed.Load() && ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(points) {
					return
				}
				if checked[i], errs[i] = c.check(ctx, points[i]); errs[i] != nil {
					errs[i] = AtPoint(errs[i], &points[i], c.plan.Names())
					failed.Store(true)
					return
				}
				checked[i].index = i
			}
		})
	}
	wg.Wait()
	for _, err := range errs { // of several errors, the first in point order
		if err != nil {
			return nil, err
		}
	}
	return checked, ctx.Err()
}

func (c *checker) check(ctx context.Context, p plan.Point) (*point, error) {
	one, err := c.elaborate(p)
	if err != nil {
		return nil, err
	}
	b := one.Batch
	x := &point{Point: p, processors: b.Config.Network.Shape().Processors(), kind: kindOf(b.Config), seeds: b.Seeds}
	if x.total, err = b.Runs(); err != nil {
		return nil, err
	}
	if err := c.weigh(ctx, x, b.Config); err != nil {
		return nil, err
	}
	if x.key, err = c.key(one); err != nil {
		return nil, err
	}
	return x, nil
}

const builtMax = 2048

// weigh estimates the memory of a point and detects errors that only appear when a machine is built. weigh does not
// build large machines. It builds RTL only for the first point with this RTL, because an error of the RTL concerns
// all such points.
func (c *checker) weigh(ctx context.Context, x *point, config *config.Config) error {
	if config.Bare() || x.processors > builtMax || len(config.RTL) > 0 && c.built(config) {
		parts, _, err := emulator.Weigh(ctx, config, emulator.Options{Workers: c.workers})
		x.memory = parts.Sum()
		return err
	}
	m, err := emulator.New(ctx, config, emulator.Options{Workers: 1})
	if err != nil {
		return err
	}
	x.memory = m.MemoryBytes()
	return m.Release()
}

func (c *checker) built(config *config.Config) bool {
	_, built := c.rtl.LoadOrStore(fmt.Sprint(config.RTL), true)
	return built
}

func (s *sweeper) elaborate(p plan.Point) (*Case, error) {
	one, err := s.make(s.plan.Scenario.Place, s.plan.Scenario.Data, s.sets(&p)...)
	if err != nil {
		return nil, err
	}
	if s.plan.Seeds != nil {
		one.Batch.Seeds = *s.plan.Seeds
	}
	return one, nil
}

// keys of traffic whose offered load may exceed the network's capacity
const rateKey, overloadKey = "workload.traffic.rate", "workload.traffic.overload"

// sets returns the settings of a point. On an axis of rates, overload is a result rather than a fault, unless an
// option or an axis sets the key.
func (s *sweeper) sets(p *plan.Point) []strict.Assignment {
	all := slices.Concat(s.Set, p.Settings)
	if k := slices.IndexFunc(p.Settings, func(a strict.Assignment) bool { return a.Key == rateKey }); k >= 0 {
		all = slices.Insert(all, 0, strict.Assignment{Key: overloadKey, Value: "true", Place: p.Settings[k].Place})
	}
	return all
}

// AtPoint adds a point to an error of its scenario: to the remedy if an axis sets the key, otherwise to the reason.
func AtPoint(err error, p *plan.Point, axes []string) error {
	line := func(place string) string { return place[:max(0, strings.LastIndexByte(place, ':'))] }
	var several *input.Errors
	var refused *input.Error
	if errors.As(err, &several) {
		all := &input.Errors{More: several.More}
		for _, e := range several.List {
			all.Take(AtPoint(e, p, axes))
		}
		return all
	}
	if !errors.As(err, &refused) || len(axes) == 0 {
		return err
	}
	at := *refused
	if k := slices.IndexFunc(p.Settings,
		func(a strict.Assignment) bool { return line(a.Place) == line(refused.Place) }); k >= 0 {
		at.Remedy += together(&p.Settings[k], refused.Remedy)
		return &at
	}
	at.Reason = fmt.Sprintf("at the point %s: %s", p.String(axes), at.Reason)
	return &at
}

// another matches the end of a remedy that suggests another key.
var another = regexp.MustCompile(`or write ([a-z_]+): ([a-z_0-9]+)$`)

// together returns the continuation of a remedy: an axis may set the rejected key and the suggested key together.
func together(a *strict.Assignment, remedy string) string {
	beside := another.FindStringSubmatch(remedy)
	if beside == nil {
		return ""
	}
	key := a.Key[:strings.LastIndexByte(a.Key, '.')+1] + beside[1]
	return fmt.Sprintf(" in the scenario; or let the axis set both keys, each value under a name: "+
		"settings: {%s: {%s: %s, %s: %s}, ...} in place of key and values",
		nameOf(a.Value), a.Key, a.Value, key, beside[2])
}

func nameOf(value string) string {
	if strings.ContainsAny(value, " {}[]:,") {
		return "a"
	}
	return value
}

func (s *sweeper) findMissing(x *point) error {
	there, err := s.folder.Runs(x.key)
	if err != nil {
		return err
	}
	each := x.total / x.seeds.Count()
	found := map[uint64]bool{}
	for i := range there {
		if r := &there[i]; x.wants(r) {
			n := (r.Seed - x.seeds.First) * each
			if r.Permutation != nil {
				n += *r.Permutation
			}
			found[n] = true
		}
	}
	x.missing = make([]uint64, 0, x.total-uint64(len(found)))
	for n := range x.total {
		if !found[n] {
			x.missing = append(x.missing, n)
		}
	}
	return nil
}

// key hashes everything that determines a point's results, except seeds: executable, scenario, input files.
func (c *checker) key(one *Case) (string, error) {
	b := one.Batch
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%q permutations %d\n", c.executable, b.Config.Source.Identity(),
		b.Config.Firmware.Name, b.Permutations)
	for _, path := range one.Inputs {
		hash, err := c.files.hash(path)
		if err != nil {
			return "", b.Config.Source.Refuse("", err.Error(), "give a file that can be read")
		}
		fmt.Fprintf(sum, "%s\n", hash)
	}
	for i := range b.Config.RTL {
		r := &b.Config.RTL[i]
		fmt.Fprintf(sum, "%q %q %q\n", r.Replace, r.Twin, r.Backend)
		if r.Map != "" {
			hash, err := c.files.hashMap(r.Map, b.Config.Source.Library())
			if err != nil {
				return "", err
			}
			fmt.Fprintf(sum, "%s\n", hash)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:keyDigits], nil
}

const keyDigits = 40
