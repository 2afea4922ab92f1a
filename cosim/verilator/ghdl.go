package verilator

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
	"starloom/traces/input"
)

var moduleOfGHDL = regexp.MustCompile(`(?m)^module (\w+)`)

// Warnings and notes of GHDL have the word "warning" or "note" after the place.
var ghdlMessage = regexp.MustCompile(`(?m)^(\S.*?:\d+:\d+):(?:error:)? ?(.*)$|^\S*ghdl\S*:(?:error:)? (.*)$`)

var genericRefused = regexp.MustCompile(
	`^(?:override for generic "(\w+)" is out of bounds|no generic "(\w+)" for -g|incorrect character .* in string$)`)

func (b *builder) synthesise() error {
	if err := b.analyseLibraries(); err != nil {
		return err
	}
	verilog, said, err := b.runGHDL("verilog")
	if err != nil {
		return err
	}
	if err := errors.Join(b.warn([]byte(said)), refuseGHDL(said)); err != nil {
		return err
	}
	b.narrow = narrowed(verilog)
	vhdl, _, err := b.runGHDL("vhdl")
	if err != nil {
		return err
	}
	if verilog, err = b.mended(verilog, vhdl); err != nil {
		return err
	}
	// GHDL keeps the case of the names of the entity and its ports. It writes all other names in lower case.
	b.vhdlTop = strings.ToLower(b.Top)
	for _, found := range moduleOfGHDL.FindAllStringSubmatch(verilog, -1) {
		if strings.EqualFold(found[1], b.Top) {
			b.vhdlTop = found[1]
		}
	}
	b.hdlDir = b.work
	return os.WriteFile(filepath.Join(b.work, b.vhdlTop+".v"), []byte(verilog), 0o644)
}

func (b *builder) runGHDL(language string) (text, warnings string, err error) {
	args := append([]string{"synth", "--std=08", "--out=" + language, "--workdir=" + b.work,
		"-P" + b.work}, b.GHDLFlags...)
	for _, name := range slices.Sorted(maps.Keys(b.Params)) {
		args = append(args, "-g"+name+"="+b.Params[name])
	}
	args = append(append(args, b.Files...), "-e", b.Top)
	c := cosim.Command(b, "", ghdlTool.Command, args...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if stop := cosim.Stopped(b, ghdlTool.Command, b.Name(), err); stop != nil {
		return "", "", stop
	}
	if err != nil {
		return "", "", b.ghdlRefusal(said.String(), err)
	}
	return string(out), said.String(), nil
}

func (b *builder) analyseLibraries() error {
	for _, l := range b.Libraries {
		args := append([]string{"-a", "--std=08", "--workdir=" + b.work, "-P" + b.work, "--work=" + l.Name}, b.GHDLFlags...)
		said, err := cosim.Command(b, "", ghdlTool.Command, append(args, l.Files...)...).CombinedOutput()
		if stop := cosim.Stopped(b, ghdlTool.Command, b.Name(), err); stop != nil {
			return stop
		}
		if err != nil {
			return b.ghdlRefusal(string(said), err)
		}
	}
	return nil
}

func (b *builder) ghdlRefusal(said string, err error) error {
	if strings.Contains(said, "GHDL Bug occurred") {
		if refused := b.textForNumber(); refused != nil {
			return refused
		}
		return &cosim.ToolError{
			Tool:   ghdlTool.Command,
			Place:  b.Name(),
			Reason: "fails with an internal error: " + cosim.OneLine([]byte(said)),
			Remedy: "rewrite the construct that it fails on",
			Err:    err,
		}
	}
	refused := &cosim.InputError{
		Place:  b.Files[0],
		Reason: "ghdl: " + cosim.OneLine([]byte(said)),
		Remedy: "correct the source until `ghdl synth --std=08` accepts it",
	}
	for _, found := range ghdlMessage.FindAllStringSubmatch(said, -1) {
		if reason := found[2] + found[3]; !strings.HasPrefix(reason, "warning:") && !strings.HasPrefix(reason, "note:") {
			refused.Reason = reason
			if found[1] != "" {
				refused.Place = found[1]
			}
			break
		}
	}
	if strings.Contains(refused.Reason, "cannot find entity") {
		refused.Place, refused.Remedy = "--top", input.RemedyOf(b.Top, b.modules())
	}
	if own, found := strings.CutPrefix(refused.Reason, "(assertion failure): "); found {
		refused.Reason, refused.Remedy = "the source ends with its own assertion: "+own, remedyOwn
	}
	if genericRefused.MatchString(refused.Reason) {
		if number := b.textForNumber(); number != nil {
			return number
		}
	}
	b.ofGeneric(refused)
	return refused
}

func (b *builder) textForNumber() error {
	for _, name := range slices.Sorted(maps.Keys(b.Params)) {
		value := b.Params[name]
		if _, err := strconv.ParseInt(value, 10, 64); err == nil {
			continue
		}
		number := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(name) +
			`\s*(?:,[\s\w,]*)?:\s*(?:in\s+)?(natural|integer|positive)\b`)
		for _, file := range b.Files {
			text, err := os.ReadFile(file)
			if found := number.FindSubmatch(text); err == nil && found != nil {
				return &cosim.InputError{
					Place:  "--param",
					Reason: fmt.Sprintf("generic %s of %s is a number (%s) and does not accept %s", name, b.Top, found[1], value),
					Remedy: "give a number such as 12",
				}
			}
		}
	}
	return nil
}

func (b *builder) ofGeneric(refused *cosim.InputError) {
	const remedy = `write a number of its range, '1' for a std_logic, true or false for a boolean, 0010 for a vector, ` +
		`in a pin map as texts: L: "'1'", B: "true", V: "0010"`
	found := genericRefused.FindStringSubmatch(refused.Reason)
	if found == nil {
		return
	}
	refused.Place, refused.Remedy = "--param", remedy
	switch {
	case found[2] != "":
		refused.Reason, refused.Remedy = fmt.Sprintf("entity %s has no generic %s", b.Top, found[2]),
			"name generics that it has"
	case found[1] == "":
		refused.Reason = fmt.Sprintf("a generic of %s is a vector: %s", b.Top, refused.Reason)
	}
	for name, value := range b.Params {
		if strings.EqualFold(name, found[1]) {
			refused.Reason = fmt.Sprintf("generic %s of %s does not accept %s", name, b.Top, value)
		}
	}
}
