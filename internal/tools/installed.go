// Package tools implements commands that do not run a network: contents of traces, frames in waveforms, and output of
// RTL checks.
//
//	traces ------------------> Info ---> info.Report
//	VCD, map ----------------> Decode -> packets, decode.Report
//	lockstep.Report ---------> Case ---> waveform, save file, stimulus, JSON
//	a report per component --> Check --> one verdict, sums by kind of RTL
package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"

	"starloom/cosim"
	"starloom/cosim/slang"
)

// A Program is an external program that Starloom starts, or a program that reads Starloom's output.
type Program struct {
	cosim.Tool
	For              string
	Fedora, Homebrew string // packages; "" if unknown
}

// Programs lists all external programs. Ubuntu's packages are named as Debian's.
var Programs = []Program{
	{cosim.Tool{Command: "verilator", Packages: "verilator", VersionOption: "--version"}, "RTL, proofs",
		"verilator", "verilator"},
	{cosim.Tool{Command: "clang++", Packages: "clang", VersionOption: "--version"}, "RTL", "clang", "llvm"},
	{cosim.Tool{Command: "clang", Packages: "clang", VersionOption: "--version"},
		"firmware in C and C++", "clang", "llvm"},
	{cosim.Tool{Command: "wasm-ld", Packages: "lld", VersionOption: "--version"}, "RTL, firmware", "lld", "lld"},
	{cosim.Tool{Command: "yosys", Packages: "yosys", VersionOption: "-V"}, "proofs", "yosys", "yosys"},
	{cosim.Tool{Command: "iverilog", Packages: "iverilog", VersionOption: "-V"},
		"RTL with X and Z, second reader of proofs", "iverilog", "icarus-verilog"},
	{cosim.Tool{Command: "cc", Packages: "gcc and libc6-dev", VersionOption: "--version"}, "RTL with X and Z",
		"gcc", "gcc"},
	{cosim.Tool{Command: "ghdl", Packages: "ghdl", VersionOption: "--version"}, "RTL in VHDL", "ghdl", "ghdl"},
	{cosim.Tool{Command: "vcd2fst", Packages: "gtkwave"}, "waveforms in FST", "gtkwave", "gtkwave"},
	{cosim.Tool{Command: "tshark", Packages: "tshark", VersionOption: "--version"}, "packet captures",
		"wireshark-cli", "wireshark"},
	{cosim.Tool{Command: "gdb-multiarch", Packages: "gdb-multiarch", VersionOption: "--version"},
		"debugging of firmware for RISC-V", "gdb", "gdb"},
}

// wasiPackages are packages of headers and libraries. No command can test their presence.
const wasiPackages = "wasi-libc, libc++-dev-wasm32 and libclang-rt-dev-wasm32"

//go:embed ran.tsv
var ranText string

// A Ran is a program version that has passed the tests, with the release of Starloom and its date.
type Ran struct{ Release, Date, Command, Version string }

// Rans returns all versions, oldest release first.
func Rans() (all []Ran) {
	for line := range strings.Lines(ranText) {
		if field := strings.Split(strings.TrimSpace(line), "\t"); len(field) == 4 {
			all = append(all, Ran{field[0], field[1], field[2], field[3]})
		}
	}
	return all
}

// Found returns the version of an installed program, "?" if unknown, "" if it is missing.
func (p Program) Found(ctx context.Context) (string, error) {
	if p.VersionOption == "" {
		if _, err := exec.LookPath(p.Command); err != nil {
			return "", nil
		}
		return "?", nil
	}
	version, err := p.Version(ctx)
	var bad *cosim.InputError
	if errors.As(err, &bad) {
		return "", nil
	}
	return version.NumberText(), err
}

func (p Program) runWith() string {
	var versions []cosim.ToolVersion
	for _, r := range Rans() {
		if r.Command == p.Command {
			versions = append(versions, cosim.ToolVersion{Text: r.Version})
		}
	}
	if len(versions) == 0 {
		return "-"
	}
	slices.SortFunc(versions, func(a, b cosim.ToolVersion) int { return slices.Compare(a.Number(), b.Number()) })
	oldest, newest := versions[0].NumberText(), versions[len(versions)-1].NumberText()
	if oldest == newest {
		return oldest
	}
	return oldest + " to " + newest
}

// WriteInstalled writes the installed programs, the tested versions, and the missing programs.
func WriteInstalled(ctx context.Context, w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "tool\there\ttests passed with\tfor")
	var missing []Program
	for _, p := range Programs {
		found, err := p.Found(ctx)
		if err != nil {
			return err
		}
		if found == "" {
			missing = append(missing, p)
			found = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.Command, found, p.runWith(), p.For)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, p := range missing {
		text := "\nmissing: " + p.Command + ", for " + p.For + "; Debian and Ubuntu: " + p.Packages
		if p.Fedora != "" {
			text += ", Fedora: " + p.Fedora
		}
		if p.Homebrew != "" {
			text += ", Homebrew: " + p.Homebrew
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		fmt.Fprintln(w)
	}
	third, err := slang.Find()
	if err != nil {
		third = "missing; install it with: " + slang.Install()
	}
	_, err = fmt.Fprintf(w, "\nRTL also needs the C++ headers and libraries for WebAssembly; Debian and Ubuntu: %s\n"+
		"\nYosys with slang, for --third-reader: %s\n", wasiPackages, third)
	return err
}

// WriteRans lists the tested versions with release and date.
func WriteRans(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "release\tdate\ttool\tversion")
	for _, r := range Rans() {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.Release, r.Date, r.Command, r.Version)
	}
	return table.Flush()
}
