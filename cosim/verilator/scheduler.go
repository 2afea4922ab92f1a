package verilator

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Changes of Verilator's C++. The loops of the C++ are counted (SL_SCHEDULER in glue.cpp). Verilator 5.006 keeps one
// copy of the previous value of circular logic (a vector with a bit that depends on another) for two regions that
// detect changes. After "ico" (inputs) has updated the copy, "act" sees no change and skips logic that only "act"
// contains. Therefore "ico" gets its own copy.
var (
	schedulerLoop  = regexp.MustCompile(`(?m)^( *)while( \((?:vlSelf->|vlSelfRef\.)?__V\w+Continue\) \{)$`)
	inputTriggers  = regexp.MustCompile(`(?ms)^(?:VL_\w+ )?void \w+___eval_triggers__ico\(\w+\* vlSelf\) \{$.*?^\}$`)
	previous       = regexp.MustCompile(`__Vtrigrprev__(\w+)`)
	previousMember = regexp.MustCompile(`(?m)^( *\S.*\W)__Vtrigrprev__(\w+);$`)
)

const ownPrevious = "__Vicoprev__"

var (
	portReference = regexp.MustCompile(`(?m)^ +VL_(?:IN|OUT|INOUT)[0-9W]*\(&(\w+),.*\n`)
	nameOfTop     = []byte("return TOP.name();")
)

// unreferenced removes references to ports from Verilator's model, because a port may have the name of a method of
// the model (name, final). The ports of the model's root are used instead.
func unreferenced(translated string) error {
	var references []string
	for _, name := range []string{"Vdut.h", "Vdut.cpp", "Vdut__Syms.h"} {
		if err := rewrite(filepath.Join(translated, name), func(text []byte) []byte {
			for _, found := range portReference.FindAllSubmatch(text, -1) {
				references = append(references, fmt.Sprintf("    , %s{vlSymsp->TOP.%[1]s}\n", found[1]), "")
			}
			text = []byte(strings.NewReplacer(references...).Replace(string(portReference.ReplaceAll(text, nil))))
			return bytes.Replace(text, nameOfTop, []byte("return TOP.VerilatedModule::name();"), 1)
		}); err != nil {
			return err
		}
	}
	return nil
}

func reschedule(sources []string, header string) error {
	own := map[string]bool{}
	for _, source := range sources {
		if err := rewrite(source, func(text []byte) []byte {
			text = schedulerLoop.ReplaceAll(text, []byte("${1}SL_SCHEDULER$2"))
			return inputTriggers.ReplaceAllFunc(text, func(body []byte) []byte {
				for _, found := range previous.FindAllSubmatch(body, -1) {
					own[string(found[1])] = true
				}
				return previous.ReplaceAll(body, []byte(ownPrevious+"$1"))
			})
		}); err != nil {
			return err
		}
	}
	err := rewrite(header, func(text []byte) []byte {
		return previousMember.ReplaceAllFunc(text, func(member []byte) []byte {
			name := string(previousMember.FindSubmatch(member)[2])
			if !own[name] {
				return member
			}
			delete(own, name)
			return slices.Concat(member, []byte("\n"), previous.ReplaceAll(member, []byte(ownPrevious+"$1")))
		})
	})
	if err == nil && len(own) > 0 {
		err = fmt.Errorf("%s lacks the expected variables of Verilator's scheduler: this version is unknown",
			filepath.Base(header))
	}
	return err
}

func rewrite(path string, change func([]byte) []byte) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, change(text), 0o644)
}
