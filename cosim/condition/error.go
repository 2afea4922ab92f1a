package condition

import "fmt"

// Error is an error in a text with its place. Line and column begin at 1.
type Error struct {
	Line, Column   int
	Reason, Remedy string
}

// Error returns "line 1, column 8: reason; remedy".
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s; %s", e.Line, e.Column, e.Reason, e.Remedy)
}

// Place describes the place in a text of one or more lines.
func (e *Error) Place(text string) string {
	if e.Line == 1 {
		return fmt.Sprintf("column %d of %q", e.Column, text)
	}
	return fmt.Sprintf("line %d, column %d of the condition", e.Line, e.Column)
}
