package verilator

import (
	"context"
	"fmt"

	"starloom/cosim"
)

type target struct {
	ending   string // file name extension of the result
	compiler cosim.Tool
	compile  []string
	linker   cosim.Tool
	link     []string
	tools    []cosim.Tool // tools in addition to Verilator and the compiler
	// libraries finds further linker inputs; nil: none are needed.
	libraries func(ctx context.Context) (libraries, error)
}

var wasmTarget = target{
	ending:   ".wasm",
	compiler: clangTool,
	compile: []string{
		"--target=wasm32-wasi", sysroot, "-fno-exceptions", "-Iwasi",
		"-DVL_IGNORE_UNKNOWN_ARCH",
	},
	// Clang's driver is avoided, because it may run wasm-opt if binaryen is installed.
	linker: linkerTool,
	link: []string{
		"-m", "wasm32", "--entry", "_initialize", "--gc-sections", "--strip-all", "--stack-first",
		"-z", fmt.Sprintf("stack-size=%d", wasmStackBytes),
	},
	tools:     []cosim.Tool{linkerTool},
	libraries: wasiLibraries,
}

// wasmStackBytes is the address of data. The stack lies below that address and is empty between two calls.
const wasmStackBytes = 1 << 20

// commonFlags apply to every compilation. Without -fno-finite-loops, clang removes endless loops of the RTL.
var commonFlags = []string{
	"-O3", "-std=gnu++17", "-fno-finite-loops", "-include", "shim.h", "-I.", "-w", "-fvisibility=hidden",
	"-DVL_USER_FINISH", "-DVL_USER_STOP", "-DVL_USER_FATAL", "-DVL_TIME_CONTEXT", "-DVM_TRACE=0",
}

// plainFlags apply to all builds. They disable optimisations of Verilator that compute wrong values in version 5.006
// (circular.v and trees.v of the conformance tests) or merge registers with different power-on values.
var plainFlags = []string{
	"--cc", "--no-timing", "-Wno-fatal", "--assert", "--prefix", "Vdut", "-O3",
	"-fno-dedup", "-fno-dfg-peephole", "-fno-dfg-post-inline", "-fno-const-bit-op-tree",
	"--x-assign", "unique", "--x-initial", "unique", "-Wwarn-UNDRIVEN", "-Wwarn-ASSIGNDLY",
}
