package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"starloom/traces"
	"starloom/traces/input"
)

func writeManual(root *cobra.Command, folder string) error {
	if err := traces.MakeFolder(folder); err != nil {
		return input.Refused("--man", err, "")
	}
	var files traces.Files
	defer files.Abort()
	for _, c := range documented(root) {
		file, err := files.Create(filepath.Join(folder, pageName(c)+".1"))
		if err != nil {
			return input.Refused("--man", err, "")
		}
		if err := writePage(file, c); err != nil {
			return err
		}
	}
	return files.Commit()
}

func documented(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, below := range c.Commands() {
		if below.Name() == "help" || below.IsAvailableCommand() && below.Name() != "completion" {
			list = append(list, documented(below)...)
		}
	}
	return list
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

func writePage(w io.Writer, c *cobra.Command) error {
	var b strings.Builder
	name := pageName(c)
	fmt.Fprintf(&b, ".TH %s 1 \"\" Starloom \"Starloom's manual\"\n.nh\n.ad l\n", quote(strings.ToUpper(name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escape(name), escape(strings.ToLower(c.Short[:1])+c.Short[1:]))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", escape(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	writeProse(&b, cmp.Or(c.Long, c.Short))
	section := ".SH OPTIONS\n"
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		option := "--" + f.Name
		if f.Shorthand != "" {
			option = "-" + f.Shorthand + ", " + option
		}
		if value != "" {
			option += " " + value
		}
		if !strings.Contains(usage, "default") && f.DefValue != "" && f.DefValue != "false" &&
			f.DefValue != "0" && f.DefValue != "[]" {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(&b, "%s.TP\n%s\n%s\n", section, escape(option), escape(usage))
		section = ""
	})
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		writeProse(&b, c.Example)
	}
	var others []string
	if c.HasParent() {
		others = append(others, pageName(c.Parent()))
	}
	for _, other := range documented(c)[1:] {
		if other.Parent() == c {
			others = append(others, pageName(other))
		}
	}
	b.WriteString(".SH SEE ALSO\n")
	for k, other := range others {
		comma := ","
		if k == len(others)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, ".BR %s (1)%s\n", escape(other), comma)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeProse(b *strings.Builder, text string) {
	plain := false
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimRight(line, " \n")
		if indented := strings.HasPrefix(line, " "); indented != plain && line != "" {
			b.WriteString(map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[indented])
			plain = indented
		}
		switch {
		case line == "" && !plain:
			line = ".PP"
		case line != "":
			line = escape(line)
		}
		b.WriteString(line + "\n")
	}
	if plain {
		b.WriteString(".fi\n")
	}
}

func escape(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`,
		"\t", "    ").Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}

func quote(text string) string { return `"` + strings.ReplaceAll(escape(text), `"`, `\(dq`) + `"` }
