package sweep

import (
	"context"
	"io"
	"os/exec"
	"time"

	"starloom/traces/input/strict"
)

// Options say how a sweep is run. None of them changes what a run finds.
type Options struct {
	Out      string              // folder of the results
	Workers  int                 // threads; 0: all cores
	Set      []strict.Assignment // keys of the scenario, for all points
	Adaptive string              // an axis that is bisected; "": every point is run
	Keys     []string            // only the points with these keys, and no tables: a part of a sweep that someone else has divided

	// Child is a process that runs one point, as Run with its key among Keys: for points that have ended processes before. nil:
	// they are run with the others.
	Child func(ctx context.Context, key string) *exec.Cmd

	On      string    // OnLocal (also ""), OnSlurm
	Command []string  // words of a command that runs points in a process of its own; the path of a file with their keys is put after them
	DryRun  io.Writer // is told what OnSlurm would send, and nothing is run

	Checked  func(Extent)      // is told what will be run, before the first run
	Progress func(Progress)    // is told how far it is; one at a time
	Step     func(what string) // is told of each change in the folder, and of each point that is begun: for tests
}

// Extent is what a sweep will run.
type Extent struct {
	Points    int
	Runs      uint64 // of all points
	RunsThere uint64
	Memory    uint64        // bytes of the largest point, as estimated
	Time      time.Duration // for what is missing, as estimated from a run of some points; 0 if it is not
	Workers   int
}

// Progress says how far a sweep has come.
type Progress struct {
	Runs, RunsTotal uint64
	Left            time.Duration // that the rest may take; 0 if it is not known
}
