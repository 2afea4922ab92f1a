package runs

import (
	"cmp"
	"context"
	"errors"

	"starloom/cosim/pinmap"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/rtl"
)

// RecordRTL runs what a scenario has become with models in the place of its RTL, and keeps the inputs of each. The caller closes
// the pin maps.
func RecordRTL(ctx context.Context, c *config.Config) (parts []rtl.PartRun, pins []*pinmap.Map, err error) {
	devices, run, end, err := recorded(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	for _, recorder := range devices.Recorders {
		recorder.Cycle = devices.Kernel.Cycle
	}
	if err := cmp.Or(run(), ctx.Err()); err != nil {
		return nil, nil, err
	}
	pins, devices.Maps = devices.Maps, nil
	return devices.Recorded, pins, nil
}

// recorded builds what runs.
func recorded(ctx context.Context, c *config.Config) (devices *rtl.Devices, run, end func() error, err error) {
	if c.Bare() {
		r, end, err := newBareRun(ctx, c, c.Seed, 1, true)
		if err != nil {
			return nil, nil, nil, err
		}
		run := func() error {
			r.run(ctx, func(uint64) {})
			return nil
		}
		return r.rtl, run, end, nil
	}
	m, err := emulator.New(ctx, c, emulator.Options{RecordRTL: true})
	if err != nil {
		return nil, nil, nil, err
	}
	return m.RTL, func() error { return m.Run(ctx, nil) }, m.Close, nil
}
