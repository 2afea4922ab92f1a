package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"starloom"
)

func newDebug(networks starloom.Networks) *cobra.Command {
	set := settings{networks: networks}
	var change overrides
	var out outputs
	var o starloom.DebugOptions
	c := &cobra.Command{
		Use:               "debug SCENARIO",
		Short:             "Run a scenario under gdb, which stops processors with RISC-V firmware",
		Args:              exactly("SCENARIO"),
		ValidArgsFunction: oneFile("yaml", "yml"),
	}
	f := c.Flags()
	f.IntSliceVar(&o.Processors, "processor", nil, "follow processors `N,...`: the threads of gdb")
	f.StringVar(&o.Address, "gdb", "127.0.0.1:1234", "wait for gdb at `ADDRESS:PORT` of this computer; port 0: a free one")
	set.declare(c)
	change.declare(c)
	engine := choose(c, "engine", "how slots are computed; routers and RTL need cycle", "auto", "cycle", "slot")
	c.RunE = func(c *cobra.Command, args []string) error {
		scenario, err := set.load(args[0])
		if err != nil {
			return err
		}
		if err := override(c, scenario, change.given(f)); err != nil {
			return err
		}
		o.Engine = engine.value
		o.Ready = func(at string) {
			fmt.Fprintf(c.ErrOrStderr(), "waiting for gdb: gdb-multiarch %s -ex 'target remote %s'\n",
				cmp.Or(scenario.Firmware.Image, "PROGRAM.elf"), at)
		}
		report, err := starloom.Debug(c.Context(), scenario, o)
		if err != nil {
			return fault(err)
		}
		return printRun(out.text(c), report, report.Expect.Judged(report.Verdict))
	}
	return c
}
