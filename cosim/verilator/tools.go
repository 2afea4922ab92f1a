package verilator

import "starloom/cosim"

var (
	verilatorTool = cosim.Tool{Command: "verilator", Packages: "verilator", VersionOption: "--version"}
	clangTool     = cosim.Tool{Command: "clang++", Packages: "clang", VersionOption: "--version"}
	linkerTool    = cosim.Tool{Command: "wasm-ld", Packages: "lld", VersionOption: "--version"}
	ghdlTool      = cosim.Tool{Command: "ghdl", Packages: "ghdl", VersionOption: "--version"}
)
