package runs

import (
	"context"
	"errors"
	"slices"

	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/outputs"
)

// passes are what every run does. Most do nothing unless an option asks for it.
func passes() []pass {
	return []pass{
		new(scenes),
		new(checkpoints),
		new(separation),
		new(losses),
		new(lateness),
		new(retelling),
		new(recording),
		new(runTable),
		new(packets),
		new(pictures),
		new(replay),
		new(profile),
	}
}

func runOne(ctx context.Context, c *config.Config, o Options, out *outputs.Set) (report *outcome.Report, err error) {
	if err := o.refuseBare(c); err != nil {
		return nil, err
	}
	r := &run{config: c, options: &o, settings: o.Machine, out: out}
	inOrder := passes()
	opposite := slices.Clone(inOrder)
	slices.Reverse(opposite)

	if err := each(inOrder, func(p pass) error { return p.ask(r) }); err != nil {
		return nil, err
	}
	if r.machine, err = emulator.New(ctx, c, r.settings); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.machine.Release()) }()
	for _, step := range []func(pass) error{
		func(p pass) error { return p.begin(r) },
		func(p pass) error { return p.open(r) },
		func(p pass) error { return p.run(ctx, r) },
	} {
		if err := each(inOrder, step); err != nil {
			return nil, err
		}
	}

	r.report = r.machine.Sum()
	r.report.Aside.Command = c.Source.RunCommand + c.Source.RunOne
	r.machine.Attach(nil, false, false)
	if err := each(opposite, func(p pass) error { return p.end(r) }); err != nil {
		return nil, err
	}
	if !r.machine.Paused { // else there is no whole run to repeat
		if err := each(inOrder, func(p pass) error { return p.repeat(ctx, r) }); err != nil {
			return nil, err
		}
	}
	return r.report, each(opposite, func(p pass) error { return p.finish(ctx, r) })
}

// each calls one of the steps of every pass, up to the first error.
func each(passes []pass, step func(pass) error) error {
	for _, p := range passes {
		if err := step(p); err != nil {
			return err
		}
	}
	return nil
}
