package input

import "strings"

// Clip shortens what an error quotes of a file, which may be another one than is meant: the beginning of its first line.
func Clip(text string) string {
	const most = 60
	first, _, several := strings.Cut(text, "\n")
	if len(first) > most {
		first, several = strings.ToValidUTF8(first[:most], ""), true
	}
	if several {
		first += "..."
	}
	return first
}
