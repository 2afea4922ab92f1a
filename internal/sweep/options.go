package sweep

import (
	"context"
	"io"
	"os/exec"
	"time"

	"starloom/traces/input/strict"
)

// Options control a sweep. None of them changes the result of a run.
type Options struct {
	Out      string
	Workers  int                 // number of threads; 0: one for each core
	Set      []strict.Assignment // scenario keys to set at all points
	Adaptive string              // axis to bisect; "": run every point
	Keys     []string            // run only the points with these keys and write no tables: one part of a divided sweep

	// Child returns a process that calls Run for a single key. It is used for points that have ended processes
	// before; nil: they run with the others.
	Child func(ctx context.Context, key string) *exec.Cmd

	On      string    // where points run: OnLocal (default) or OnSlurm
	Command []string  // command that runs points in a new process; the path of a file with their keys is appended
	DryRun  io.Writer // receives the scripts of OnSlurm in place of running anything

	Checked  func(Extent)      // called before the first run
	Progress func(Progress)    // called with progress, never concurrently
	Step     func(what string) // tests: called on each change in the folder and at the beginning of each point
}

// Extent is the size of a sweep.
type Extent struct {
	Points    int
	Runs      uint64
	RunsThere uint64
	Memory    uint64        // estimated bytes of the largest point
	Time      time.Duration // estimated time of the missing runs, from a run of some points; 0 if unknown
	Workers   int
}

// Progress is the progress of a sweep.
type Progress struct {
	Runs, RunsTotal uint64
	Left            time.Duration // estimated time left; 0 if unknown
}
