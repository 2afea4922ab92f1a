package goals

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
)

// A spec is the specification of a property: [@(CLOCK)] [disable iff (OFF)] [WHEN |-> or |=>] THEN.
type spec struct {
	clock, off, when, then []token
	next                   bool   // |=>
	of                     string // name of the property that then instantiates; "" for none
	after                  int    // cycles before the first one in which the property has all its past values
}

// Names of properties that Marked adds beside a named property.
const reachSuffix, notSuffix = "__starloom_when", "__starloom_not"

func (s *spec) head() string {
	text := joined(s.clock)
	if len(s.off) > 0 {
		text += " disable iff (" + joined(s.off) + ")"
	}
	return text + " "
}

// holds returns the property itself. In |=>, an attempt that begins while disable iff is active ends at once, as in
// IEEE 1800-2017 16.12; Verilator tests disable iff only in the last cycle of the attempt.
func (s *spec) holds() string {
	switch {
	case len(s.when) == 0:
		return s.head() + joined(s.then)
	case !s.next:
		return s.head() + joined(s.when) + " |-> " + joined(s.then)
	case len(s.off) == 0:
		return s.head() + joined(s.when) + " |=> " + joined(s.then)
	}
	return fmt.Sprintf("%s (!(%s) && (%s)) |=> %s", s.head(), joined(s.off), joined(s.when), joined(s.then))
}

// never returns a property that fails when part holds.
func (s *spec) never(part []token) string { return s.head() + "!(" + joined(part) + ")" }

// instance returns an instance of a property that Marked added beside the named one.
func (s *spec) instance(suffix string) string {
	return s.head() + s.of + suffix + " " + joined(s.then[1:])
}

// refusedWords are constructs that no test holds against a monitor. Verilator 5.006 misreads some of them, and later
// versions accept them.
var refusedWords = map[string]string{
	"##": "a delay ##", "[*": "a repetition [*", "[->": "a repetition [->", "[=": "a repetition [=", "#-#": "#-#",
	"#=#": "#=#", "throughout": "throughout", "within": "within", "intersect": "intersect",
	"first_match": "first_match", "until": "until", "s_until": "s_until", "until_with": "until_with",
	"s_until_with": "s_until_with", "eventually": "eventually", "s_eventually": "s_eventually", "always": "always",
	"s_always": "s_always", "nexttime": "nexttime", "s_nexttime": "s_nexttime", "and": "and", "or": "or", "not": "not",
	"implies": "implies", "strong": "strong", "weak": "weak", "accept_on": "accept_on", "reject_on": "reject_on",
	"sync_accept_on": "sync_accept_on", "sync_reject_on": "sync_reject_on", "if": "if", "else": "else", "case": "case",
	"iff": "iff", "disable": "disable iff inside a property", "int": "a variable", "logic": "a variable",
}

var sampled = []string{"$rose", "$fell", "$stable", "$changed"}

var functions = append([]string{"$past", "$onehot", "$onehot0", "$countones", "$sampled", "$signed", "$unsigned",
	"$bits", "$clog2"}, sampled...)

const remedyWord = "write it with |->, |=>, $past and registers of your own"

func refuse(t *token, what, remedy string) error {
	return &cosim.InputError{Place: t.place(), Reason: what + " in an assertion", Remedy: remedy}
}

func allowed(list []token) error {
	for i := range list {
		word := list[i].text
		if what := refusedWords[word]; what != "" {
			return refuse(&list[i], what, remedyWord)
		}
		if strings.HasPrefix(word, "$") && len(word) > 1 && !slices.Contains(functions, word) {
			return refuse(&list[i], word, remedyWord)
		}
	}
	return nil
}

// spec reads the specification of a property.
func (t *Text) spec(list []token) (s spec, err error) {
	r := reader{list}
	i := 0
	if r.text(0) == "@" {
		if i = 2; r.text(1) == "(" {
			i = r.closing(1) + 1
		}
		i = min(i, len(list))
		s.clock = list[:i]
		if slices.ContainsFunc(s.clock, func(t token) bool { return t.text == "or" || t.text == "," || t.text == "iff" }) {
			return s, refuse(&list[0], "a clock of several edges", "use one edge of the clock")
		}
	}
	if r.text(i) == "disable" && r.text(i+1) == "iff" && r.text(i+2) == "(" {
		end := r.closing(i + 2)
		s.off = r.inside(i + 2)
		i = end + 1
	}
	rest := list[min(i, len(list)):]
	for len(rest) > 2 && rest[0].text == "(" && (&reader{rest}).closing(0) == len(rest)-1 {
		rest = rest[1 : len(rest)-1]
	}
	if err := allowed(slices.Concat(s.off, rest)); err != nil {
		return s, err
	}
	r, s.then = reader{rest}, rest
	for i := 0; i < len(rest); i++ {
		switch word := r.text(i); word {
		case "(", "[", "{":
			for k := i; k < r.closing(i); k++ {
				if r.text(k) == "|->" || r.text(k) == "|=>" {
					return s, refuse(&rest[k], "an implication inside an expression", remedyWord)
				}
			}
			i = r.closing(i)
		case "|->", "|=>":
			if len(s.when) > 0 {
				return s, refuse(&rest[i], "a second implication", "join the conditions before the first one with &&")
			}
			s.when, s.then, s.next = rest[:i], rest[i+1:], word == "|=>"
		}
	}
	if len(s.then) == 0 {
		at := token{}
		if len(list) > 0 {
			at = list[0]
		}
		return s, refuse(&at, "no condition", "write one")
	}
	return s, t.complete(&s)
}

func (t *Text) complete(s *spec) error {
	s.after = past(s.then)
	if len(s.when) > 0 {
		n := past(s.when)
		if s.next {
			n++
		}
		s.after = max(s.after, n)
	}
	for i := range s.then {
		p := t.property(s.then[i].text)
		if p == nil {
			continue
		}
		whole := i == 0 && len(s.when) == 0 && (len(s.then) == 1 ||
			s.then[1].text == "(" && (&reader{s.then}).closing(1) == len(s.then)-1)
		if !whole {
			return refuse(&s.then[i], "property "+p.name+" inside an expression", "assert it alone")
		}
		if !p.read {
			return refuse(&s.then[i], "property "+p.name+" before its declaration", "declare it before its use")
		}
		s.of, s.after = p.name, s.after+p.after
	}
	for i := range s.when {
		if p := t.property(s.when[i].text); p != nil {
			return refuse(&s.when[i], "property "+p.name+" before an implication", "write its condition")
		}
	}
	return nil
}

// pastMost is the number of cycles for a $past whose count is not a number.
const pastMost = 32

// past returns how many cycles an expression looks back.
func past(list []token) (most int) {
	r := reader{list}
	for i := 0; i < len(list); i++ {
		word := r.text(i)
		if word != "$past" && !slices.Contains(sampled, word) || r.text(i+1) != "(" {
			continue
		}
		end := r.closing(i + 1)
		args, n := r.inside(i+1), 1
		for k, depth := 0, 0; k < len(args) && word == "$past"; k++ {
			switch args[k].text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			case ",":
				if depth == 0 && k+1 < len(args) && args[k+1].text != "," {
					n = pastMost
					if count, err := strconv.Atoi(args[k+1].text); err == nil && k+2 == len(args) {
						n = count
					}
				}
			}
		}
		most = max(most, n+past(args))
		i = end
	}
	return most
}
