package input

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorNamesPlaceReasonAndRemedy(t *testing.T) {
	require.EqualError(t, &Error{Place: "a.yaml:1:2", Reason: "seed is -1", Remedy: "give 0 or more"}, "a.yaml:1:2: seed is -1; give 0 or more")
	require.EqualError(t, &Error{Reason: "seed is -1"}, "seed is -1")
	require.EqualError(t, &Error{Place: "--seed", Reason: "-1"}, "--seed: -1")
}

func TestUnreadableSaysThePathOnce(t *testing.T) {
	lost := &fs.PathError{Op: "open", Path: "a.vcd", Err: errors.New("lost")}
	require.EqualError(t, Unreadable("a.vcd", fmt.Errorf("again: %w", lost), "give another"), "a.vcd: cannot be read: lost; give another")
	require.EqualError(t, Unreadable("a.vcd", errors.New("lost"), ""), "a.vcd: cannot be read: lost")
}
