package hw

import (
	"strconv"
	"strings"
)

// Names have one grammar everywhere, in errors, traces, scenarios and reports:
//
//	path      = component { "." component }         pops.group[3].coupler[1]
//	component = name { "[" index "]" }              group[3]
//	name      = letter or "_", then letters, digits, "_"
//	index     = decimal number without leading zeros, at most 4294967295, or label
//	label     = "+" or "-", then letters, digits, "_", "^"         port[+rho^2]
//
// A pattern is a path in which
//
//	*       stands for any characters of one component, none included
//	[*]     stands for any index, labels too
//	[2..5]  stands for the indexes 2, 3, 4, 5
//	**      as a whole component stands for any number of components, none included

// Index returns path[i].
func Index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Join puts a dot between the parts.
func Join(parts ...string) string { return strings.Join(parts, ".") }

// CheckPath reports where s breaks the grammar of a path.
func CheckPath(s string) error {
	_, err := (&pathScanner{text: s}).path()
	return err
}
