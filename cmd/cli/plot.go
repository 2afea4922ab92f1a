package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/plot"
	"starloom/traces/figure"
	"starloom/traces/input"
)

type plotFlags struct {
	plot.Options
	outputs    outputs
	out        *output
	logX, logY *choice
	dark       bool
}

func newPlot(networks starloom.Networks) *cobra.Command {
	var o plotFlags
	c := &cobra.Command{
		Use:               "plot RESULTS",
		Short:             "Draw the results of a sweep, or any table",
		Args:              exactly("RESULTS"),
		ValidArgsFunction: oneFile("csv"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Unit = newBook(networks).Unit
			return o.run(c, args[0])
		},
	}
	f := c.Flags()
	f.StringVarP(&o.X, "x", "x", "", "the column or figure `A` along the x axis")
	f.StringVarP(&o.Y, "y", "y", "", "the column or figure `B` along the y axis")
	f.StringVarP(&o.Z, "z", "z", "", "draw a heat map of the column or figure `C`, by x and y")
	f.StringSliceVar(&o.By, "by", nil, "make a curve for each value of the column `COLUMN` (default: all other axes "+
		"that vary); several with commas")
	f.StringArrayVar(&o.Where, "where", nil, "draw only rows with `COLUMN=VALUE`; may be repeated")
	f.StringVar(&o.Histogram, "histogram", "", "draw a histogram of the column or figure `M` of single runs")
	o.logX = choose(c, "log-x", "divide the x axis by powers of 2 or 10", "2", "10")
	o.logY = choose(c, "log-y", "divide the y axis by powers of 2 or 10", "2", "10")
	f.StringVar(&o.Title, "title", "", "write `TEXT` above the picture")
	f.StringVar(&o.XLabel, "x-label", "", "write `TEXT` below the x axis")
	f.StringVar(&o.YLabel, "y-label", "", "write `TEXT` beside the y axis")
	f.Float64Var(&o.Width, "width", figure.Width, "make the picture `W` points wide")
	f.StringVar(&o.Published, "published", "", "draw the points of the table `F.csv` (columns x and y) beside the curves")
	f.BoolVar(&o.dark, "dark", false, "draw a PNG on dark paper; an SVG follows the reader's system")
	o.out = o.outputs.add(f, "output", "o", "write the picture to `F.svg` or F.png", nil)
	formerly(c, "out", "output")
	for _, option := range []string{"x", "y", "z", "by", "where", "histogram"} {
		completed(c, option, wordsOf(func(_ *cobra.Command, args []string) ([]string, error) {
			return columns(option, args)
		}))
	}
	return c
}

// columns lists the axes and figures of a sweep's table, or the columns of any table.
func columns(option string, args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, nil
	}
	name := "results.csv"
	if option == "histogram" {
		name = "runs.csv"
	}
	t, err := plot.Read(args[0], name)
	if err != nil {
		return nil, err
	}
	known := t.Columns
	if m := t.Metrics(); m != nil {
		known = append(slices.Clone(t.Axes), m...)
	}
	if option == "where" {
		for i := range known {
			known[i] += "="
		}
	}
	return known, nil
}

func (o *plotFlags) run(c *cobra.Command, path string) error {
	scales := map[string]figure.Scale{"": figure.Linear, "2": figure.Log2, "10": figure.Log10}
	if o.Width < figure.WidthMin || o.Width > figure.WidthMax {
		return input.Mistake("--width", fmt.Sprintf("%v is not a width", o.Width),
			fmt.Sprintf("give points from %d to %d", figure.WidthMin, figure.WidthMax))
	}
	o.LogX, o.LogY = scales[o.logX.String()], scales[o.logY.String()]
	write := (*figure.Figure).WriteSVG
	switch name := o.out.path; {
	case strings.HasSuffix(name, ".png"):
		write = func(f *figure.Figure, w io.Writer) error { return f.WritePNG(w, o.dark) }
	case name == "":
		return input.Mistake("--output", "no file is named for the picture", "give one, for example -o latency.svg")
	case strings.HasSuffix(name, ".pdf"):
		drawn := strings.TrimSuffix(name, ".pdf") + ".svg"
		return input.Mistake("--output", "a picture is SVG or PNG, not PDF", fmt.Sprintf("write %s, then: rsvg-convert -f "+
			"pdf "+
			"-o %s %s", drawn, outcome.ShellQuote(name), outcome.ShellQuote(drawn)))
	case name != "-" && !strings.HasSuffix(name, ".svg"):
		return input.Mistake("--output", name+" ends in neither .svg nor .png", "give a path that ends in one of them")
	case o.dark:
		return &starloom.InputError{Place: "--dark", Reason: "an SVG follows the light or dark setting of the reader's " +
			"system",
			Remedy: "delete --dark, or write a .png"}
	}
	table := "results.csv"
	if o.Histogram != "" {
		table = "runs.csv"
	}
	t, err := plot.Read(path, table)
	if err != nil {
		return err
	}
	if err := o.outputs.check(t.Path, o.Published); err != nil {
		return err
	}
	f, note, err := plot.Draw(t, o.Options)
	if err != nil {
		return err
	}
	if note != "" {
		fmt.Fprintln(readable(c.ErrOrStderr()), note)
	}
	return o.out.write(product(c), func(w io.Writer) error { return write(f, w) })
}
