//go:build unix

package systemtest

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// CpuTime returns the processor time of this process.
func CpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Median sorts values and returns the median.
func Median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
