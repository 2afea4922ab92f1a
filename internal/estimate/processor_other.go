//go:build !unix

package estimate

import "time"

// processorTime returns wall-clock time, where the processor time is not available.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
