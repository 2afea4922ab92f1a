package hw

import (
	"strconv"
	"strings"
)

// Paths have one grammar in errors, traces, scenarios and reports:
//
//	path      = component { "." component }         pops.group[3].coupler[1]
//	component = name { "[" index "]" }              group[3]
//	name      = letter or "_", then letters, digits, "_"
//	index     = decimal number without leading zeros, at most 4294967295, or label
//	label     = "+" or "-", then letters, digits, "_", "^"         port[+rho^2]
//
// A pattern is a path with
//
//	*       for any characters within one component, also none
//	[*]     for any index, also labels
//	[2..5]  for the indexes 2, 3, 4, 5
//	**      as a whole component, for any number of components, also none

// Index returns path[i].
func Index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Join joins the parts with dots.
func Join(parts ...string) string { return strings.Join(parts, ".") }

// CheckPath returns an error with the position at which s violates the grammar of a path.
func CheckPath(s string) error {
	_, err := (&pathScanner{text: s}).path()
	return err
}
