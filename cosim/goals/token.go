package goals

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/cosim"
)

// A token of SystemVerilog, without comments and white space.
type token struct {
	text   string
	at     int // offset in the text
	file   string
	line   int
	column int
}

func (t *token) end() int { return t.at + len(t.text) }

func (t *token) place() string { return fmt.Sprintf("%s:%d:%d", t.file, t.line, t.column) }

var (
	lexeme = regexp.MustCompile("^(?:\\s+|//[^\n]*|(?s:/\\*.*?\\*/)|" +
		"\"(?:[^\"\\\\]|\\\\(?s:.))*\"|\\\\\\S+|`?[A-Za-z_$][\\w$]*|" +
		"[0-9]*'[sS]?[bodhBODH]\\s*[0-9a-fA-FxXzZ_?]+|[0-9][0-9_.]*|\\|->|\\|=>|\\[->|#-#|#=#|##|\\[\\*|\\[=|" +
		"&&|\\|\\||===|!==|==|!=|<=|>=|::|(?s:.))")
	lineMark = regexp.MustCompile("(?m)^`line (\\d+) \"([^\"]*)\".*\n?")
)

// lex splits preprocessed text. Places follow its `line directives.
func lex(text string) (all []token) {
	file, line, begins := "", 1, 0
	for at := 0; at < len(text); {
		if at == begins {
			if mark := lineMark.FindStringSubmatch(text[at:]); mark != nil && strings.HasPrefix(text[at:], mark[0]) {
				line, _ = strconv.Atoi(mark[1])
				file = mark[2]
				at += len(mark[0])
				begins = at
				continue
			}
		}
		word := lexeme.FindString(text[at:])
		if first := word[0]; !strings.ContainsRune(" \t\r\n", rune(first)) && !strings.HasPrefix(word, "//") &&
			!strings.HasPrefix(word, "/*") {
			all = append(all, token{word, at, file, line, at - begins + 1})
		}
		for i, c := range word {
			if c == '\n' {
				line, begins = line+1, at+i+1
				if strings.HasPrefix(text[begins:], "`line ") { // inside white space
					word = word[:i+1]
					break
				}
			}
		}
		at += len(word)
	}
	return all
}

// padding returns the line ends and `line directives of a part of the text, so that a shorter replacement keeps the
// places after it.
func padding(part, replacement string) string {
	if lineMark.MatchString(part) {
		return "\n" + strings.Join(lineMark.FindAllString(part, -1), "") +
			strings.Repeat("\n", strings.Count(part[strings.LastIndex(part, "`line "):], "\n")-1)
	}
	return strings.Repeat("\n", strings.Count(part, "\n")-strings.Count(replacement, "\n"))
}

// blank replaces a part of the text by spaces and keeps its lines.
func blank(part string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return ' '
	}, part)
}

func joined(list []token) string {
	words := make([]string, len(list))
	for i := range list {
		words[i] = list[i].text
	}
	return strings.Join(words, " ")
}

// A reader finds the statements of a text.
type reader struct {
	tokens []token
}

func (r *reader) text(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.tokens[i].text
}

// closing returns the index of the bracket that closes the bracket at i.
func (r *reader) closing(i int) int {
	depth := 0
	for ; i < len(r.tokens); i++ {
		switch r.text(i) {
		case "(", "[", "{", "[*", "[=", "[->":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(r.tokens) - 1
}

// inside returns the tokens in the brackets that open at i.
func (r *reader) inside(i int) []token {
	end := r.closing(i)
	return r.tokens[min(i+1, end):end]
}

var blocks = map[string][]string{
	"begin": {"end"}, "fork": {"join", "join_any", "join_none"}, "case": {"endcase"}, "casez": {"endcase"},
	"casex": {"endcase"}, "function": {"endfunction"}, "task": {"endtask"},
}

// statement returns the index after the statement that begins at i.
func (r *reader) statement(i int) int {
	for slices.Contains([]string{"unique", "unique0", "priority"}, r.text(i)) {
		i++
	}
	switch word := r.text(i); {
	case word == "":
		return i
	case blocks[word] != nil:
		i = r.block(i)
		if r.text(i) == ":" {
			i += 2
		}
		return i
	case word == "if":
		i = r.statement(r.closing(i+1) + 1)
		if r.text(i) == "else" {
			i = r.statement(i + 1)
		}
		return i
	case slices.Contains([]string{"for", "while", "repeat", "foreach"}, word):
		return r.statement(r.closing(i+1) + 1)
	case word == "forever":
		return r.statement(i + 1)
	case word == "@":
		if r.text(i+1) == "(" {
			return r.statement(r.closing(i+1) + 1)
		}
		return r.statement(i + 2)
	case slices.Contains(verbs, word):
		return r.afterAction(i)
	case r.text(i+1) == ":" && cosim.IsIdentifier(word):
		return r.statement(i + 2)
	}
	return r.semicolon(i) + 1
}

// afterAction returns the index after an assertion whose keyword is at i, with its action block.
func (r *reader) afterAction(i int) int {
	verb := r.text(i)
	for r.text(i) != "(" && i < len(r.tokens) {
		i++
	}
	i = r.closing(i) + 1
	if r.text(i) == ";" { // a later else belongs to an if
		return i + 1
	}
	if r.text(i) != "else" {
		i = r.statement(i)
	}
	if r.text(i) == "else" && verb != Cover {
		i = r.statement(i + 1)
	}
	return i
}

func (r *reader) block(i int) int {
	ends, opener, depth := blocks[r.text(i)], r.text(i), 0
	for ; i < len(r.tokens); i++ {
		word := r.text(i)
		if word == opener || ends[0] == "endcase" && strings.HasPrefix(word, "case") && blocks[word] != nil {
			depth++
		}
		if slices.Contains(ends, word) {
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

func (r *reader) semicolon(i int) int {
	for ; i < len(r.tokens); i++ {
		switch r.text(i) {
		case "(", "[", "{":
			i = r.closing(i)
		case ";":
			return i
		}
	}
	return i - 1
}
