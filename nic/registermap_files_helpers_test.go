package nic

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// placed is a register with its offset in its block.
type placed struct {
	Register
	Offset int
}

func (b Block) place() (regs []placed, size int) {
	for _, r := range b.Registers {
		bytes := r.Bits / 8
		size = (size + bytes - 1) / bytes * bytes
		regs = append(regs, placed{r, size})
		size += bytes * max(1, r.Count)
	}
	return regs, (size + 7) / 8 * 8
}

const generatedBy = "Generated from nic/registermap.go by `go test ./nic -run RegisterMap -update`; DO NOT EDIT."

func camel(words ...string) string {
	var b strings.Builder
	for _, w := range strings.Split(strings.Join(words, "_"), "_") {
		switch w {
		case "abi", "crc", "ok", "rom":
			b.WriteString(strings.ToUpper(w))
		default:
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

func writeGo(w io.Writer) {
	fmt.Fprintf(w, "// Code %s\n\npackage nic\n", strings.ToLower(generatedBy[:1])+generatedBy[1:])
	for _, b := range RegisterMap {
		regs, size := b.place()
		fmt.Fprintf(w, "\n// Offsets of the %s block, in bytes.\nconst (\n", b.Name)
		for _, r := range regs {
			fmt.Fprintf(w, "\t%s = %d // %s\n", "off"+camel(b.Name, r.Name), r.Offset, r.Doc)
		}
		fmt.Fprintf(w, "\t%s = %d // size of the block\n)\n", "size"+camel(b.Name), size)
		if b.Name == "processor" {
			fmt.Fprintf(w, "\n// Registers is the processor block. %s\ntype Registers struct {\n", b.Doc)
			for _, r := range regs {
				fmt.Fprintf(w, "\t%s uint%d // %s, %s\n", camel(r.Name), r.Bits, r.Access, r.Doc)
			}
			fmt.Fprint(w, "}\n")
		}
	}
	fmt.Fprintf(w, "\n// Values of the registers without another constant in this package.\nconst (\n")
	for _, c := range RegisterConstants {
		switch {
		case strings.HasPrefix(c.Name, "port_"), strings.HasPrefix(c.Name, "flag_"):
			fmt.Fprintf(w, "\t%s = %#x // %s\n", camel(c.Name), c.Value, c.Doc)
		}
	}
	fmt.Fprint(w, ")\n")
}

// cTypes are the registers whose C type is not an unsigned integer: addresses
// in a 32-bit memory, and signed parameters.
var cTypes = map[string]string{
	"bank.record":       "uint8_t *",
	"bank.rx_more":      "uint8_t *",
	"bank.tx_more":      "uint8_t *",
	"bank.processor":    "sl_processor *",
	"bank.workload":     "uint32_t *",
	"bank.calls":        "uint32_t *",
	"bank.rx_status":    "uint8_t *",
	"bank.listen":       "uint16_t *",
	"bank.schedule":     "uint64_t *",
	"bank.tx_status":    "uint8_t *",
	"bank.served":       "uint32_t *",
	"bank.first_choice": "uint32_t *",
	"bank.list_valid":   "uint64_t *",
	"bank.accept_tag":   "uint16_t *",
	"bank.param":        "int32_t ",
	"bank.rom":          "const uint32_t *",
	"bank.machine_rom":  "const uint32_t *",
}

// cOrder puts the blocks in the order in which C needs them.
var cOrder = []string{"frame", "processor", "bank"}

// cColumnsMax is the maximum length of a header line. Longer descriptions are cut and repeated in
// full at the end of the file: an additional line before code would change the debug information of
// every image.
const (
	cColumnsMax = 140
	cDocMax     = 100 // of them, what a register means
)

func clip(text string, columns int) string {
	for i := min(columns, len(text)) - 1; len(text) > columns && i > 0; i-- {
		if text[i] == ' ' && strings.IndexByte(".,;:", text[i-1]) >= 0 {
			return text[:i] + " ..."
		}
	}
	return text
}

// writeInFull writes the full texts of the cut descriptions, as one comment.
func writeInFull(w io.Writer) {
	fmt.Fprint(w, "\n/* What is cut above, in full.\n")
	for _, name := range cOrder {
		b := blockOf(name)
		if clip(b.Doc, cColumnsMax) != b.Doc {
			fmt.Fprint(w, " *\n", wrapped(" * ", "sl_"+name+": "+b.Doc))
		}
		for _, r := range b.Registers {
			if clip(r.Doc, cDocMax) != r.Doc {
				fmt.Fprint(w, " *\n", wrapped(" * ", fmt.Sprintf("sl_%s.%s: %s", name, r.Name, r.Doc)))
			}
		}
	}
	fmt.Fprint(w, " */\n")
}

func wrapped(prefix, text string) string {
	var b strings.Builder
	columns := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case columns == 0:
			b.WriteString(prefix)
		case columns+len(word) >= 100:
			b.WriteString("\n" + prefix)
			columns = 0
		default:
			b.WriteByte(' ')
		}
		b.WriteString(word)
		columns += len(word) + 1
	}
	return b.String() + "\n"
}

func blockOf(name string) Block {
	return RegisterMap[slices.IndexFunc(RegisterMap, func(b Block) bool { return b.Name == name })]
}

// writeC writes firmware/sdk/starloom_registers.h.
func writeC(w io.Writer) {
	fmt.Fprintf(w, "/* %s */\n", generatedBy)
	fmt.Fprint(w, "#ifndef STARLOOM_REGISTERS_H\n#define STARLOOM_REGISTERS_H\n\n"+
		"#include <stddef.h>\n#include <stdint.h>\n\n"+
		"#ifdef __cplusplus\n#define SL_STATIC_ASSERT static_assert\n#else\n#define SL_STATIC_ASSERT _Static_assert\n#endif\n\n")
	for _, c := range RegisterConstants {
		fmt.Fprintf(w, "#define SL_%s %#xu /* %s */\n", strings.ToUpper(c.Name), c.Value, c.Doc)
	}
	for _, name := range cOrder {
		b := blockOf(name)
		regs, size := b.place()
		fmt.Fprintf(w, "\n/* %s */\ntypedef struct {\n", clip(b.Doc, cColumnsMax))
		for _, r := range regs {
			typ, ok := cTypes[b.Name+"."+r.Name]
			if !ok {
				typ = fmt.Sprintf("uint%d_t ", r.Bits)
			}
			array := ""
			if r.Count > 0 {
				array = fmt.Sprintf("[%d]", r.Count)
			}
			fmt.Fprintf(w, "    %s%s%s; /* %s, %s */\n", typ, r.Name, array, r.Access, clip(r.Doc, cDocMax))
		}
		if b.Name == "frame" {
			fmt.Fprintf(w, "    uint8_t payload[];\n")
		}
		fmt.Fprintf(w, "} sl_%s;\n\n", b.Name)
		addresses := b.Name == "bank" // whose addresses natively have the machine's size
		if addresses {
			fmt.Fprint(w, "#ifndef STARLOOM_NATIVE\n")
		}
		for _, r := range regs {
			fmt.Fprintf(w, "SL_STATIC_ASSERT(offsetof(sl_%s, %s) == %d, \"register map\");\n", b.Name, r.Name, r.Offset)
		}
		fmt.Fprintf(w, "SL_STATIC_ASSERT(sizeof(sl_%s) == %d, \"register map\");\n", b.Name, size)
		if addresses {
			fmt.Fprint(w, "#endif\n")
		}
	}
	writeInFull(w)
	fmt.Fprint(w, "\n#endif\n")
}

// writeWindow writes firmware/sdk/starloom_window.h.
func writeWindow(w io.Writer) {
	fmt.Fprintf(w, "/* %s */\n", strings.Replace(generatedBy, "registermap.go", "window.go", 1))
	fmt.Fprint(w, "#ifndef STARLOOM_WINDOW_H\n#define STARLOOM_WINDOW_H\n\n#include \"starloom_registers.h\"\n\n")
	for _, c := range WindowConstants {
		fmt.Fprintf(w, "#define SL_%s %#xu /* %s */\n", strings.ToUpper(c.Name), c.Value, c.Doc)
	}
	regs, size := Window.place()
	fmt.Fprintf(w, "\n/*\n%s */\ntypedef struct {\n", wrapped(" * ", Window.Doc))
	for _, r := range regs {
		fmt.Fprintf(w, "    uint%d_t %s; /* %s, %s */\n", r.Bits, r.Name, r.Access, r.Doc)
	}
	fmt.Fprint(w, "} sl_window;\n\n")
	last := regs[len(regs)-1]
	fmt.Fprintf(w, "SL_STATIC_ASSERT(offsetof(sl_window, %s) == %d, \"register map\");\n", last.Name, last.Offset)
	fmt.Fprintf(w, "SL_STATIC_ASSERT(sizeof(sl_window) <= %d, \"register map\");\n\n#endif\n", size)
}

func writeVerilog(w io.Writer) {
	fmt.Fprintf(w, "// %s\n`ifndef STARLOOM_REGISTERS_VH\n`define STARLOOM_REGISTERS_VH\n\n", generatedBy)
	for _, c := range RegisterConstants {
		fmt.Fprintf(w, "`define SL_%s 32'h%08x // %s\n", strings.ToUpper(c.Name), c.Value, c.Doc)
	}
	for _, b := range RegisterMap {
		regs, size := b.place()
		fmt.Fprint(w, "\n", wrapped("// ", b.Doc))
		for _, r := range regs {
			name := strings.ToUpper(b.Name + "_" + r.Name)
			fmt.Fprintf(w, "`define SL_%s_OFFSET %d\n`define SL_%s_BITS %d\n", name, r.Offset, name, r.Bits)
		}
		fmt.Fprintf(w, "`define SL_%s_BYTES %d\n", strings.ToUpper(b.Name), size)
	}
	fmt.Fprint(w, "\n`endif\n")
}

func writeMarkdown(w io.Writer) {
	fmt.Fprintf(w, "<!-- %s -->\n# Register map, ABI version %d\n\n", generatedBy, ABIVersion)
	fmt.Fprint(w, "Access is seen from the firmware's handler: R the NIC writes, W the handler writes, RW both, "+
		"L the image writes once, in `starloom_attach`; in an image with `starloom.h` the SDK does.\n")
	for _, b := range slices.Concat(RegisterMap, []Block{Window}) {
		regs, size := b.place()
		fmt.Fprintf(w, "\n## %s, %d bytes\n\n%s\n\n", b.Name, size, b.Doc)
		fmt.Fprint(w, "| offset | register | bits | access | meaning |\n|---|---|---|---|---|\n")
		for _, r := range regs {
			bits := fmt.Sprint(r.Bits)
			if r.Count > 0 {
				bits = fmt.Sprintf("%d x %d", r.Count, r.Bits)
			}
			fmt.Fprintf(w, "| %d | `%s` | %s | %s | %s |\n", r.Offset, r.Name, bits, r.Access, r.Doc)
		}
	}
	fmt.Fprint(w, "\n## Values\n\n| name | value | meaning |\n|---|---|---|\n")
	for _, c := range RegisterConstants {
		fmt.Fprintf(w, "| `%s` | %#x | %s |\n", c.Name, c.Value, c.Doc)
	}
	fmt.Fprint(w, "\n## Values of the window\n\n| name | value | meaning |\n|---|---|---|\n")
	for _, c := range WindowConstants {
		fmt.Fprintf(w, "| `%s` | %#x | %s |\n", c.Name, c.Value, c.Doc)
	}
}
