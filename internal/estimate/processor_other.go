//go:build !unix

package estimate

import "time"

// processorTime returns wall-clock time, since this system does not provide processor time.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
