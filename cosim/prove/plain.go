package prove

import "strings"

// plain takes from Verilog what a synthesiser believes and a simulator does not: attributes and
// comments (full_case, parallel_case), and unique and priority, which promise what need not be so. The
// RTL's own checks are taken out and counted: lockstep ends there, a proof does not see them; those of a twin become another check.
func plain(text, check string) (stripped string, checks int) {
	var b strings.Builder
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case rest[0] == '"':
			end := closing(rest)
			b.WriteString(rest[:end])
			i += end
		case rest[0] == '\\': // an escaped name
			end := strings.IndexAny(rest, " \t\r\n")
			if end < 0 {
				end = len(rest)
			}
			b.WriteString(rest[:end])
			i += end
		case strings.HasPrefix(rest, "//"):
			i += untilEnd(rest, "\n", 0)
		case strings.HasPrefix(rest, "/*"):
			end := untilEnd(rest, "*/", 2)
			b.WriteString(" " + strings.Repeat("\n", strings.Count(rest[:end], "\n")))
			i += end
		case strings.HasPrefix(rest, "(*") && !strings.HasPrefix(strings.TrimLeft(rest[2:], " \t"), ")"):
			end := untilEnd(rest, "*)", 2)
			b.WriteString(" " + strings.Repeat("\n", strings.Count(rest[:end], "\n")))
			i += end
		case wordByte(rest[0]) || rest[0] == '$' || rest[0] == '`':
			end := 1
			for end < len(rest) && (wordByte(rest[end]) || rest[end] == '$') {
				end++
			}
			switch word := rest[:end]; word {
			case "unique", "unique0", "priority":
			case "$fatal", "$error", "$warning", "$info":
				checks++
				end += arguments(rest[end:])
				b.WriteString(check)
			default:
				b.WriteString(word)
			}
			i += end
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String(), checks
}

// arguments is the length of what follows a task in parentheses; 0 for nothing.
func arguments(text string) int {
	at := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '(':
			depth++
		case ')':
			depth--
		case '"':
			at += closing(text[at:]) - 1
		default:
			if depth == 0 {
				return 0
			}
		}
		if at++; depth == 0 {
			return at
		}
	}
	return 0
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// closing is the length of a text in quotes.
func closing(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// untilEnd is the length of what ends with a mark, which is looked for from a place on; a line keeps
// its end.
func untilEnd(text, mark string, from int) int {
	at := strings.Index(text[from:], mark)
	switch {
	case at < 0:
		return len(text)
	case mark == "\n":
		return from + at
	}
	return from + at + len(mark)
}
