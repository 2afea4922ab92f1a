package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"starloom"
	"starloom/traces"
)

type textAndJSON interface {
	WriteText(io.Writer) error
	WriteJSON(io.Writer) error
}

// withJSON builds and prints a report. With --json it also writes a file, which is opened before the report is built.
func withJSON(c *cobra.Command, all *outputs, json *output, inputs []string, make func() (textAndJSON, error)) error {
	return withPage(c, all, json, &output{}, inputs, make)
}

// withPage is withJSON with --html, for reports with WriteHTML.
func withPage(c *cobra.Command, all *outputs, json, html *output, inputs []string,
	make func() (textAndJSON, error)) error {
	if err := all.check(inputs...); err != nil {
		return err
	}
	var files traces.Files
	defer files.Abort()
	file, err := json.open(&files)
	if err != nil {
		return err
	}
	page, err := html.open(&files)
	if err != nil {
		return err
	}
	report, err := make()
	if err != nil {
		return fault(err)
	}
	if file != nil {
		err = report.WriteJSON(file)
	}
	if paged, ok := report.(interface{ WriteHTML(w io.Writer) error }); ok && page != nil {
		err = errors.Join(err, paged.WriteHTML(page))
	}
	if err := errors.Join(err, files.Commit()); err != nil {
		return fault(err)
	}
	return report.WriteText(all.text(c))
}

type runReport interface {
	WriteText(io.Writer) error
	Interrupted() bool
	ToolFailed() bool
}

func printRun(w io.Writer, report runReport, verdict starloom.Verdict) error {
	err := printReport(w, report, verdict)
	if errors.Is(err, errFailed) && report.ToolFailed() {
		return errTool
	}
	return err
}

func printReport(w io.Writer, report interface {
	WriteText(io.Writer) error
	Interrupted() bool
}, verdict starloom.Verdict) error {
	if err := report.WriteText(w); err != nil {
		return err
	}
	if report.Interrupted() {
		return errInterrupted
	}
	if verdict != starloom.VerdictPass {
		return errFailed
	}
	return nil
}
