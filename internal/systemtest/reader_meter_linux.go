package systemtest

import (
	"time"

	"golang.org/x/sys/unix"
)

// Limits on the cost of reading a scenario.
const (
	ScenarioTextMax  = 64 << 10  // bytes of its text
	ReaderBytesMax   = 256 << 20 // total allocation, above the peak
	ReaderSecondsMax = 1         // of the reader's thread
	ReaderSlack      = 4         // factor for a busy machine
)

// ProcessorTime returns the processor time used by this thread.
func ProcessorTime() time.Duration {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
