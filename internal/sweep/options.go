package sweep

import (
	"context"
	"io"
	"os/exec"
	"time"

	"starloom/traces/input/strict"
)

// Options control a sweep. They never change the result of a run.
type Options struct {
	Out      string
	Workers  int                 // number of threads; 0 selects one per core
	Set      []strict.Assignment // scenario keys to set at all points
	Adaptive string              // axis to bisect; "": run every point
	// if set, only the points with these keys are run, as one part of a divided sweep, and no tables are written
	Keys []string

	// Child returns a process that calls Run for a single key. It is used for points whose runs have ended processes
	// before. If Child is nil, these points run in this process.
	Child func(ctx context.Context, key string) *exec.Cmd

	On      string    // where points run: OnLocal (default) or OnSlurm
	Command []string  // command that runs points in a new process; the path of a file with the points' keys is appended
	DryRun  io.Writer // writer for the scripts of OnSlurm, which are then not submitted

	Checked  func(Extent)      // called before the first run
	Progress func(Progress)    // called with progress, never concurrently
	Step     func(what string) // for tests: called on each change in the folder and at the beginning of each point
}

// Extent is the size of a sweep.
type Extent struct {
	Notes     []string // on paths
	Points    int
	Runs      uint64
	RunsThere uint64
	Memory    uint64        // estimated bytes of the largest point
	Time      time.Duration // estimated time of the missing runs, from runs of some points; 0 if unknown
	Workers   int
}

// Progress is the progress of a sweep.
type Progress struct {
	Runs, RunsTotal uint64
	Left            time.Duration // estimated time left; 0 if unknown
}
