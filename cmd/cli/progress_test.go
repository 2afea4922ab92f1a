package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLeft: who has asked for more than a day's runs sees it at once.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		done, total uint64
		took        time.Duration
		want        string
	}{
		{10_000, 1_000_000_000, time.Second, ", about 28 hours left"},
		{1_000, 1_000_000_000, time.Second, ", about 12 days left"},
		{1, 61, time.Second, ", about 1 minute left"},
		{1, 121, 30 * time.Second, ", about 60 minutes left"},
		{1, 60, time.Second, ""},
		{100, 100, time.Hour, ""},
	} {
		require.Equal(t, c.want, left(c.done, c.total, c.took))
	}
}
