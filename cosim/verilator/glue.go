package verilator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
)

var (
	modelPort = regexp.MustCompile(`VL_(?:IN|OUT)(?:8|16|64|W)?\(&(\w+),`)
	encoded   = regexp.MustCompile(`__0([0-9a-fA-F]{2})`)
)

func (b *builder) members(header []byte) (map[string]string, error) {
	members := map[string]string{}
	for _, found := range modelPort.FindAllSubmatch(header, -1) {
		member := string(found[1])
		plain := encoded.ReplaceAllStringFunc(strings.TrimPrefix(member, "__SYM__"), func(code string) string {
			value, _ := strconv.ParseUint(code[3:], 16, 8)
			return string(rune(value))
		})
		members[plain] = member
	}
	for _, p := range b.design.ports {
		if p.Name == "reinterpret_cast" { // this is the only C++ keyword that Verilator does not rename
			return nil, &cosim.InputError{Place: b.Name(), Reason: "a port is named reinterpret_cast, a keyword of C++ that " +
				"Verilator 5.006 does not rename",
				Remedy: "rename the port in a wrapper"}
		}
		if members[p.Name] == "" {
			return nil, fmt.Errorf("%s: verilator generates no C++ variable for port %s; rename the port in a wrapper", b.Name(),
				p.Name)
		}
	}
	return members, nil
}

// portsHeader returns ports.h, which copies values between words and ports. model is Verilator's header of the root.
// With an empty model, the text serves only to compute the hash.
func (b *builder) portsHeader(members map[string]string, model string) string {
	member := func(p cosim.Port) string {
		if members == nil {
			return p.Name
		}
		return members[p.Name]
	}
	in, out := cosim.Words(b.design.ports)
	var pull, push, clocks, forget, resets strings.Builder
	clock := 0
	together := !b.design.levels && !b.design.inner
	for _, p := range b.design.ports {
		name := "t." + member(p)
		switch {
		case p.Clock:
			fmt.Fprintf(&clocks, "    %s = clocks >> %d & 1;\n", name, clock)
			clock++
			before := "__Vtrigrprev__TOP__" + member(p)
			together = together && strings.Contains(model, " "+before+";")
			fmt.Fprintf(&forget, "    %s = 0;\n    t.%s = 0;\n", name, before)
		case p.Input && p.Bits > 64:
			together = together && !slices.Contains(b.design.resets, p.Name)
			fmt.Fprintf(&pull, "    changed |= sl_pull_wide<%d>(%s, in + %d);\n", p.Bits, name, p.Word)
		case p.Input:
			fmt.Fprintf(&pull, "    changed |= sl_pull_word<%d>(%s, in[%d]);\n", p.Bits, name, p.Word)
			if slices.Contains(b.design.resets, p.Name) {
				fmt.Fprintf(&resets, "    changed |= (%s ^ in[%d]) & sl_mask(%d);\n", name, p.Word, p.Bits)
			}
		case p.Bits > 64:
			fmt.Fprintf(&push, "    sl_push_wide<%d>(%s, out + %d);\n", p.Bits, name, p.Word)
		default:
			fmt.Fprintf(&push, "    out[%d] = %s;\n", p.Word, name)
		}
	}
	forgotten := ""
	if together {
		forgotten = forget.String()
	}
	return fmt.Sprintf(`// Generated for %s.
enum { SL_IN_WORDS = %d, SL_OUT_WORDS = %d };
static constexpr bool SL_LEVELS = %t;
static constexpr bool SL_TOGETHER = %t;

static inline bool sl_pull(Vdut___024root& t, const uint64_t* in) {
    uint64_t changed = 0;
%s    return changed != 0;
}

static inline bool sl_resets(const Vdut___024root& t, const uint64_t* in) {
    uint64_t changed = 0;
%s    return changed != 0;
}

static inline void sl_clocks(Vdut___024root& t, uint64_t clocks) {
%s}

static inline void sl_forget(Vdut___024root& t) {
%s}

static inline void sl_push(const Vdut___024root& t, uint64_t* out) {
%s}
`, b.Top, in, out, b.design.levels, together, pull.String(), resets.String(), clocks.String(), forgotten, push.String())
}

func (b *builder) runtimeHash(text []byte) string {
	sum := sha256.New()
	tools := b.tools
	if b.VHDL() {
		tools = tools[:len(tools)-1]
	}
	fmt.Fprintln(sum, tools, b.compileFlags())
	sum.Write(text)
	_ = eachGlueFile(func(name string, text []byte) error {
		if name == "shim.h" || strings.HasPrefix(name, "wasi/") {
			sum.Write(text)
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

func eachGlueFile(do func(name string, text []byte) error) error {
	return fs.WalkDir(cosim.Glue, "glue", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := cosim.Glue.ReadFile(path)
		if err != nil {
			return err
		}
		return do(strings.TrimPrefix(path, "glue/"), text)
	})
}
