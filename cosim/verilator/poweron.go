package verilator

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Registers without a reset value are randomised at power-on from one sequence, in the order of Verilator's C++.
// Instrumented builds keep more registers. The C++ of instrumented builds is changed to draw the same values as the
// plain build, so that both builds start in the same state.

var (
	resetFunction = regexp.MustCompile(`(?ms)^(?:VL_ATTR_COLD )?void (\w+___ctor_var_reset)\([^\n]*\) \{\n(.*?)^\}\n`)
	resetMember   = regexp.MustCompile(`vlSelf->(\w+)`)
	resetAssigned = regexp.MustCompile(`vlSelf->\S+ = (VL_RAND_RESET_[A-Z]+\(\d+\));`)
	resetWide     = regexp.MustCompile(`VL_RAND_RESET_W\((\d+), (vlSelf->[^;]+)\);`)
)

func (b *builder) likePlain(translated string) error {
	plain := filepath.Join(b.work, "plain")
	if _, err := b.verilate(append([]string{"--Mdir", plain}, plainFlags...)...); err != nil {
		return err
	}
	draws := map[string][]string{}
	err := eachText(plain, func(_, text string) string {
		for _, found := range resetFunction.FindAllStringSubmatch(text, -1) {
			draws[found[1]] = statements(found[2])
		}
		return text
	})
	if err != nil {
		return err
	}
	return eachText(translated, func(_, text string) string {
		return resetFunction.ReplaceAllStringFunc(text, func(whole string) string {
			found := resetFunction.FindStringSubmatch(whole)
			if own, ok := draws[found[1]]; ok {
				return strings.Replace(whole, found[2], strings.Join(merged(own, statements(found[2])), ""), 1)
			}
			return whole
		})
	})
}

func eachText(folder string, change func(path, text string) string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*.cpp"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if changed := change(path, string(text)); changed != string(text) {
			if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func statements(body string) (list []string) {
	depth, open := 0, ""
	for line := range strings.Lines(body) {
		open += line
		if depth += strings.Count(line, "{") - strings.Count(line, "}"); depth == 0 && strings.ContainsAny(line, ";}/") {
			list = append(list, open)
			open = ""
		}
	}
	if open != "" {
		list = append(list, open)
	}
	return list
}

func member(statement string) string {
	if !strings.Contains(statement, "VL_RAND_RESET") {
		return ""
	}
	if found := resetMember.FindStringSubmatch(statement); found != nil {
		return found[1]
	}
	return ""
}

// merged returns the reset statements of a translation, changed to draw the values of the plain translation. The
// plain draws are first; values for variables that this translation lacks are discarded. Variables that only this
// translation has are set to 0.
func merged(plain, own []string) (list []string) {
	here, there := map[string]bool{}, map[string]bool{}
	for _, s := range own {
		if name := member(s); name == "" {
			list = append(list, s)
		} else {
			here[name] = true
		}
	}
	for _, s := range plain {
		name := member(s)
		switch {
		case name == "":
		case here[name]:
			list = append(list, s)
			there[name] = true
		default:
			list = append(list, toNowhere(s))
		}
	}
	for _, s := range own {
		if name := member(s); name != "" && !there[name] {
			list = append(list, toZero(s))
		}
	}
	return list
}

func toNowhere(statement string) string {
	statement = resetAssigned.ReplaceAllString(statement, "(void)$1;")
	return resetWide.ReplaceAllStringFunc(statement, func(call string) string {
		bits := resetWide.FindStringSubmatch(call)[1]
		n, _ := strconv.Atoi(bits)
		return fmt.Sprintf("{ VlWide<%d> sl_nowhere; VL_RAND_RESET_W(%s, sl_nowhere); }", (n+31)/32, bits)
	})
}

func toZero(statement string) string {
	statement = resetAssigned.ReplaceAllStringFunc(statement, func(assignment string) string {
		to, _, _ := strings.Cut(assignment, " = ")
		return to + " = 0;"
	})
	return resetWide.ReplaceAllString(statement, "VL_ZERO_RESET_W($1, $2);")
}
