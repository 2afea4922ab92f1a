package slurm

import "time"

// Work is what is to be done.
type Work struct {
	Name     string // of the jobs, a plain word
	Folder   string // for scripts, lists and logs: a whole path that all nodes know
	Dir      string // in which the command runs
	Settings *Settings
	// Command does units: the path of a file with their keys, a line each, is put after its words.
	Command []string
	Units   []Unit
	Done    func(key string) (bool, error) // whether the results of a unit are there
	Told    func(Progress)                 // nil for no one
}

// Unit is the smallest part of the work.
type Unit struct {
	Key    string // a plain word
	Name   string // for people
	Time   time.Duration
	Memory uint64 // bytes
}

// Progress says how far the work is.
type Progress struct {
	Done, Units      int
	Waiting, Running int    // tasks
	Why              string // one of them waits, as Slurm says
}

// Outcome is what has come of it.
type Outcome struct {
	Failed []Failure
	Cut    bool     // the context has ended
	Jobs   []string // that are still in the queue then
}

// Failure is a unit that could not be done.
type Failure struct{ Key, Reason string }
