package firmware

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
	"starloom/firmware/wasm/binary"
	"starloom/nic"
	"starloom/traces/input"
)

// Load checks a wasm binary against the ABI and compiles it. Errors name the remedy.
func (h *Host) Load(name string, image []byte) (*Image, error) { return h.load(name, image, nil) }

// LoadMetered is Load for a metered image. A call of an export traps if its cost exceeds the meter's limit.
func (h *Host) LoadMetered(name string, image []byte, meter *wasm.Meter) (*Image, error) {
	return h.load(name, image, meter)
}

// LoadProfiled is LoadMetered for an image whose instances are Profilers. Such instances are slow.
func (h *Host) LoadProfiled(name string, image []byte, meter wasm.Meter) (*Image, error) {
	meter.Profile = true
	return h.load(name, image, &meter)
}

func (h *Host) load(name string, image []byte, meter *wasm.Meter) (*Image, error) {
	whole := image
	var interpreted *interpreted
	switch {
	case rv32.Is(image):
		var err error
		if image, interpreted, err = translate(image, meter); err != nil {
			return nil, err
		}
	case meter != nil && meter.Core != "":
		return nil, fmt.Errorf("is not an ELF, but only programs for RISC-V have costs on the core %s; choose a model of %s",
			meter.Core, strings.Join(wasm.Models(), ", "))
	}
	if !bytes.HasPrefix(image, binary.Header) {
		return nil, errors.New("not a WebAssembly module; build one with `starloom firmware build`")
	}
	if meter != nil {
		h.limitKey = meter.Key
	}
	rewritten, err := wasm.RewriteWith(image, wasm.Additions{Meter: meter, Covers: h.covers, Chooses: h.choose != nil})
	var broken *wasm.BrokenError
	if err != nil && !errors.As(err, &broken) {
		return nil, err
	}
	var compiled wazero.CompiledModule
	if err == nil {
		compiled, err = h.runtime.CompileModule(listening(h.ctx, meter), rewritten.Binary)
	}
	if err != nil {
		return nil, brokenImage(rewritten, err)
	}
	h.compiled = append(h.compiled, compiled)
	if h.compiles && (meter == nil || !meter.Profile) {
		keepCompiled(context.WithoutCancel(h.ctx), rewritten.Binary)
	}
	img := &Image{Name: name, host: h, copy: rewritten, compiled: compiled, meter: meter,
		interpreted: interpreted, pristine: map[nic.BankConfig]pristine{}}
	img.believed = slices.ContainsFunc(rewritten.Globals, func(g wasm.Global) bool { return g.GivenBack && !g.Proved })
	sum := sha256.Sum256(whole)
	img.SHA256 = hex.EncodeToString(sum[:])
	if err := img.check(); err != nil {
		return nil, err
	}
	return img, img.describe()
}

// translate translates a program for RISC-V. The image states its costs on the meter's core.
func translate(program []byte, meter *wasm.Meter) ([]byte, *interpreted, error) {
	p, err := rv32.Load(program)
	if err != nil {
		return nil, nil, err
	}
	core, window := rv32.Instructions(), uint64(0)
	if meter != nil {
		window = meter.Window
		if meter.Core == "" {
			return nil, nil, fmt.Errorf("is a program for RISC-V, without costs of WebAssembly instructions; choose a "+
				"model of %s",
				strings.Join(rv32.Models(), ", "))
		}
		if core, err = rv32.NewCore(meter.Core, meter.Parameters); err != nil {
			return nil, nil, err
		}
		if core, err = core.Late(meter.DataWait); err != nil {
			return nil, nil, err
		}
		p.StackBytesMax = meter.StackBytesMax
	}
	t, err := rv32.Translate(p, core, window)
	if err != nil {
		return nil, nil, err
	}
	return t.Image, &interpreted{p, core, t}, nil
}

// brokenImage adds the names of functions and a remedy to an error.
func brokenImage(rewritten *wasm.Copy, err error) error {
	if rewritten != nil {
		err = rewritten.Named(err)
	}
	var unknown *binary.UnknownError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%w; build it without that feature: firmware/ABI.md lists the refused features", err)
	}
	return fmt.Errorf("broken WebAssembly module: %w; if the file is unchanged since the build, correct the tool that "+
		"wrote it", err)
}

func (img *Image) check() error {
	if err := img.checkImports(); err != nil {
		return err
	}
	if len(img.compiled.ImportedMemories()) > 0 {
		return errors.New("imports its memory, but an image must define and export its own; link without --import-memory")
	}
	return img.checkExports()
}

func (img *Image) checkImports() error {
	for _, f := range img.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if module == wasm.TickModule {
			continue // an import added by the copy; Rewrite rejects it in an image
		}
		if module == wasiModule {
			if err := checkWASI(f); err != nil {
				return err
			}
			img.Runtime = true
			continue
		}
		if module == importModule && name == importInterpret && img.compiled.ExportedFunctions()[exportInterpreted] != nil {
			continue // the frame of translated programs
		}
		want, known := importTypes[name]
		if module != importModule || !known {
			return fmt.Errorf("imports the function %s.%s, which is not in the ABI; allowed: %s",
				input.Printable(binary.Clip(module)), input.Printable(binary.Clip(name)), importList())
		}
		img.Announces = img.Announces || name == importDeliver
		img.Results = img.Results || name == importResult
		if !slices.Equal(f.ParamTypes(), want) || len(f.ResultTypes()) != 0 {
			return fmt.Errorf("imports %s.%s as %s; include starloom.h of this version", module, name,
				signature(f.ParamTypes(), f.ResultTypes()))
		}
	}
	return nil
}

func (img *Image) checkExports() error {
	if len(img.compiled.ExportedMemories()) != 1 || img.compiled.ExportedMemories()[exportMemory] == nil {
		return errors.New("does not export its memory as \"memory\"; use STARLOOM_FIRMWARE of starloom.h")
	}
	if own := img.ownBytes(); own > ownBytesMax {
		unit, shift := "MiB", 20
		if own>>20 == ownBytesMax>>20 {
			unit, shift = "KiB", 10
		}
		return fmt.Errorf("has %d %s of its own data; at most %d are allowed; make its tables smaller", own>>shift,
			unit, ownBytesMax>>shift)
	}
	exports := img.compiled.ExportedFunctions()
	img.Checked = exports[exportChecked] != nil
	for _, want := range exportTypes {
		f, ok := exports[want.name]
		if !ok {
			if want.optional {
				continue
			}
			return fmt.Errorf("does not export %s; use STARLOOM_FIRMWARE of starloom.h, once, in one of its sources", want.name)
		}
		if !allI32(f.ParamTypes(), want.params) || !allI32(f.ResultTypes(), want.results) {
			return fmt.Errorf("exports %s as %s, but the ABI has %d i32 parameters and %d results; use STARLOOM_FIRMWARE of "+
				"starloom.h",
				want.name, signature(f.ParamTypes(), f.ResultTypes()), want.params, want.results)
		}
	}
	for name, f := range exports {
		if strings.HasPrefix(name, exportCall) &&
			(!allI32(f.ParamTypes(), len(f.ParamTypes())) || !allI32(f.ResultTypes(), 1)) {
			return fmt.Errorf("exports %s as %s; a named call takes i32 and returns one i32; "+
				"use STARLOOM_CALL of starloom.h", binary.Clip(name), signature(f.ParamTypes(), f.ResultTypes()))
		}
	}
	return nil
}

func migration(version uint64) string {
	const again = "build the image again with its starloom.h"
	switch {
	case version > nic.ABIVersion:
		return "run it with the Starloom for which it was built, or " + again
	case version == 2:
		return again + " (sl_group, sl_groups, sl_index, sl_group_size, sl_scheduled and STARLOOM_CHOICE are in " +
			"starloom_pops.h)"
	}
	return again
}

func (img *Image) describe() error {
	memory, err := img.reserve(describeBytesMax+img.runtimeBytes(), describeBytesMax+img.runtimeBytes())
	if err != nil {
		return err
	}
	in, err := img.instantiate(memory)
	if err != nil {
		return err
	}
	defer in.Close(img.host.ctx)
	if err := img.initialise(in); err != nil {
		return beforeHandlers(err)
	}
	img.DataBytes = img.dataBytes(in)
	version, err := img.host.call(img.host.ctx, in, in.ExportedFunction(exportABI))
	if err != nil {
		return beforeHandlers(callError(exportABI, err))
	}
	if version[0] != nic.ABIVersion {
		return fmt.Errorf("built for ABI version %d, but this Starloom has version %d; %s", version[0],
			nic.ABIVersion, migration(version[0]))
	}
	if in.ExportedFunction(exportBank) == nil {
		return fmt.Errorf("does not export %s; use STARLOOM_FIRMWARE of starloom.h, once, in one of its sources", exportBank)
	}
	if img.Probes, err = img.distinctNames(in, exportProbeNames, "probe", "STARLOOM_PROBES"); err != nil {
		return err
	}
	if img.ResultNames, err = img.distinctNames(in, exportResults, "result", "STARLOOM_RESULTS"); err != nil {
		return err
	}
	params, err := img.names(in, exportParamNames)
	if err != nil {
		return err
	}
	if len(params) > nic.Params {
		return fmt.Errorf("has %d parameters; at most %d are possible; delete some from STARLOOM_PARAMS", len(params),
			nic.Params)
	}
	for _, p := range params {
		name, value, ok := strings.Cut(p, "=")
		number, err := strconv.ParseInt(value, 10, 32)
		if !ok || err != nil || !isName(name) {
			return fmt.Errorf("parameter %q: write name=default with a 32-bit integer in STARLOOM_PARAMS", p)
		}
		if slices.ContainsFunc(img.Params, func(p Param) bool { return p.Name == name }) {
			return fmt.Errorf("has two parameters %q; rename one in STARLOOM_PARAMS", name)
		}
		img.Params = append(img.Params, Param{name, int32(number)})
	}
	return nil
}

func (img *Image) distinctNames(in api.Module, export, what, macro string) ([]string, error) {
	names, err := img.names(in, export)
	for k, name := range names {
		if !isName(name) {
			return nil, fmt.Errorf("%s %q: write a letter or _, then letters, digits and _ in %s", what, name, macro)
		}
		if slices.Contains(names[:k], name) {
			return nil, fmt.Errorf("has two %ss %q; rename one in %s", what, name, macro)
		}
	}
	return names, err
}

func isName(text string) bool {
	for i, c := range []byte(text) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

const (
	describeBytesMax = 1 << 20
	ownBytesMax      = 256 << 20
	namesMax         = 64
	nameBytesMax     = 64
)

func (img *Image) names(in api.Module, export string) (names []string, err error) {
	f := in.ExportedFunction(export)
	if f == nil {
		return nil, nil
	}
	list, err := img.host.call(img.host.ctx, in, f)
	if err != nil {
		return nil, beforeHandlers(callError(export, err))
	}
	for k := range uint32(namesMax + 1) {
		at, ok := in.Memory().ReadUint32Le(uint32(list[0]) + 4*k)
		if !ok {
			break
		}
		if at == 0 {
			return names, nil
		}
		text, ok := in.Memory().Read(at, min(nameBytesMax+1, in.Memory().Size()-min(at, in.Memory().Size())))
		end := bytes.IndexByte(text, 0)
		if !ok || end <= 0 || bytes.ContainsAny(text[:end], " \t\r\n") {
			return nil, fmt.Errorf("%s: name %d is not a string of 1 to %d characters without white space; "+
				"correct STARLOOM_PROBES or STARLOOM_PARAMS", export, k, nameBytesMax)
		}
		names = append(names, string(text[:end]))
	}
	return nil, fmt.Errorf("%s: not a list of at most %d names with a 0 at its end; correct STARLOOM_PROBES or "+
		"STARLOOM_PARAMS", export, namesMax)
}

const unknownStackBytes = 1 << 20

// dataBytes returns the larger of two sizes: the nonzero bytes, and the memory above the stack, because tables may be
// filled later.
func (img *Image) dataBytes(in api.Module) uint64 {
	memory, _ := in.Memory().Read(0, in.Memory().Size())
	written := 0
	for _, part := range touched(memory) {
		if !bytes.Equal(part, zeros[:len(part)]) {
			written += len(part)
		}
	}
	stack := uint64(unknownStackBytes)
	for _, g := range img.copy.Globals {
		if g.GivenBack {
			stack = uint64(uint32(in.ExportedGlobal(g.Export).Get()))
			break
		}
	}
	above := img.ownBytes() - min(img.ownBytes(), stack+wasmPageBytes)
	return max(uint64(written), above)
}

//go:embed ABI.md
var abi string

const limitsHead = "| what | at most |\n|---|---|\n"

// Limits returns the size limits of images, a line for each row of the table in ABI.md.
func Limits() []string {
	_, table, _ := strings.Cut(strings.ReplaceAll(abi, "`", ""), limitsHead)
	table, _, _ = strings.Cut(table, "\n\n")
	var lines []string
	for row := range strings.Lines(table) {
		lines = append(lines, strings.Replace(strings.Trim(row, "| \n"), " | ", ": ", 1))
	}
	return lines
}
