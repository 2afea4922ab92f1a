//go:build !unix

package estimate

import "time"

// processorTime returns wall-clock time, because this system does not report processor time.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
