package runs

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPasses holds the list: files are opened, and listed in the report, in its order.
func TestPasses(t *testing.T) {
	var names []string
	for _, p := range passes() {
		names = append(names, strings.TrimPrefix(fmt.Sprintf("%T", p), "*runs."))
	}
	require.Equal(t, []string{"scenes", "checkpoints", "separation", "losses", "lateness", "retelling", "recording", "runTable", "packets", "pictures", "replay", "profile"}, names)
}

// TestEachEndsWithTheFirstError: no pass is called after one that has failed.
func TestEachEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	called := 0
	require.ErrorIs(t, each(passes(), func(pass) error {
		if called++; called == 3 {
			return broken
		}
		return nil
	}), broken)
	require.Equal(t, 3, called)
}
