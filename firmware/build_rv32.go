package firmware

import (
	"path/filepath"
	"slices"
	"strings"
)

// Targets are the values of BuildOptions.Target: WebAssembly images, and programs for RISC-V.
var Targets = []string{"wasm32", "rv32i", "rv32ic", "rv32im", "rv32imc"}

func (o *BuildOptions) ofRV32() bool { return strings.HasPrefix(o.Target, "rv32") }

func (o *BuildOptions) suffix() string {
	if o.ofRV32() {
		return ".elf"
	}
	return ".wasm"
}

func (o *BuildOptions) linker() string {
	if o.ofRV32() {
		return "ld.lld"
	}
	return "wasm-ld"
}

// Like clangFlags, rv32Flags follow the names of source and object. lld 14 cannot relax code for RISC-V.
var rv32Flags = []string{
	"--target=riscv32", "-mabi=ilp32", "-mno-relax", "-g", "-ffreestanding", "-nostdlib", "-ffunction-sections",
	"-include", "starloom_rv32.h",
	"-Wall", "-Wextra", "-Wno-unused-parameter", "-fdebug-compilation-dir=.", "-c",
}

func (o *BuildOptions) targetFlags() []string {
	if o.ofRV32() {
		return append(slices.Clone(rv32Flags), "-march="+o.Target)
	}
	return clangFlags
}

// compiled returns the sources to compile: those of the program and, for RISC-V, the runtime of the SDK, whose
// floating-point arithmetic is last.
func (b *compilation) compiled() []string {
	if b.ofRV32() {
		return append(b.sources(), filepath.Join(b.work, "sdk", "starloom_rv32_runtime.c"),
			filepath.Join(b.work, "sdk", "starloom_rv32_float.c"))
	}
	return b.sources()
}

// linked returns the objects to link. The last object of a program for RISC-V is linked only if it is called.
func (b *compilation) linked() []string {
	if !b.ofRV32() {
		return b.objects
	}
	last := len(b.objects) - 1
	return append(slices.Clone(b.objects[:last]), "--start-lib", b.objects[last], "--end-lib")
}

func (b *compilation) linkFlags() []string {
	if b.ofRV32() {
		return []string{"-static", "--gc-sections", "-T", filepath.Join(b.work, "sdk", "starloom_rv32.ld")}
	}
	return wasmLinkFlags
}
