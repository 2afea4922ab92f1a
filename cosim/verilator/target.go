package verilator

import (
	"context"
	"fmt"

	"starloom/cosim"
)

// A target is what a circuit is compiled for.
type target struct {
	ending   string // of the result's name
	compiler cosim.Tool
	compile  []string // its arguments
	linker   cosim.Tool
	link     []string     // its arguments
	tools    []cosim.Tool // beside Verilator and the compiler
	// libraries finds what is linked beside the objects; nil: the linker knows.
	libraries func(ctx context.Context) (libraries, error)
}

var wasmTarget = target{
	ending:   ".wasm",
	compiler: clangTool,
	compile: []string{
		"--target=wasm32-wasi", sysroot, "-fno-exceptions", "-Iwasi",
		"-DVL_IGNORE_UNKNOWN_ARCH",
	},
	// Not by clang's driver: it may run wasm-opt where binaryen is installed.
	linker: linkerTool,
	link: []string{
		"-m", "wasm32", "--entry", "_initialize", "--gc-sections", "--strip-all", "--stack-first",
		"-z", fmt.Sprintf("stack-size=%d", wasmStackBytes),
	},
	tools:     []cosim.Tool{linkerTool},
	libraries: wasiLibraries,
}

// wasmStackBytes is where data begins: the stack lies below it and is empty between two calls.
const wasmStackBytes = 1 << 20

// commonFlags go to every compilation. Without -fno-finite-loops clang removes an endless loop of the RTL.
var commonFlags = []string{
	"-O3", "-std=gnu++17", "-fno-finite-loops", "-include", "shim.h", "-I.", "-w", "-fvisibility=hidden",
	"-DVL_USER_FINISH", "-DVL_USER_STOP", "-DVL_USER_FATAL", "-DVL_TIME_CONTEXT", "-DVM_TRACE=0",
}

// plainFlags are those of all builds of a design. What computes wrong values in Verilator 5.006 is off: see circular.v
// and trees.v of the conformance tests; registers that get the same value may begin with different ones.
var plainFlags = []string{
	"--cc", "--no-timing", "-Wno-fatal", "--assert", "--prefix", "Vdut", "-O3",
	"-fno-dedup", "-fno-dfg-peephole", "-fno-dfg-post-inline", "-fno-const-bit-op-tree",
	"--x-assign", "unique", "--x-initial", "unique", "-Wwarn-UNDRIVEN", "-Wwarn-ASSIGNDLY",
}
