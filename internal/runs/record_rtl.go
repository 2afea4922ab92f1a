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

// RecordRTL runs the scenario with models instead of its RTL and records the inputs of each model. The outputs must
// match those of the machine's own components; otherwise the check would concern a different machine. The caller
// closes the pin maps.
func RecordRTL(ctx context.Context, c *config.Config) (parts []rtl.PartRun, pins []*pinmap.Map, err error) {
	own, err := shownByOwn(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	devices, run, end, err := recorded(ctx, c, rtl.Models)
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
	if err := devices.Outputs.Agree(own); err != nil {
		return nil, nil, err
	}
	pins, devices.Maps = devices.Maps, nil
	return devices.Recorded, pins, nil
}

func shownByOwn(ctx context.Context, c *config.Config) (own *rtl.Outputs, err error) {
	devices, run, end, err := recorded(ctx, c, rtl.Own)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	return &devices.Outputs, cmp.Or(run(), ctx.Err())
}

func recorded(ctx context.Context, c *config.Config, inPlace rtl.InPlace) (devices *rtl.Devices, run,
	end func() error, err error) {
	m, err := emulator.New(ctx, c, emulator.Options{RTL: inPlace})
	if err != nil {
		return nil, nil, nil, err
	}
	return m.RTL, func() error { return m.Run(ctx, nil) }, m.Close, nil
}
