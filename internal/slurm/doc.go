// Package slurm has work done by the jobs of a Slurm cluster: arrays of tasks, of which each does some units of the work.
//
//	Work: units, time and memory of each --pack--> arrays of tasks --sbatch--> the cluster
//	         ^                                                                    |
//	         '------ sent again <--- failed, lost, out of time <--- squeue, results
//
// There is no scheduler here: what runs where and when is Slurm's. The command that sends the jobs needs nothing but sbatch,
// squeue, sinfo and scontrol, and no accounting; it may end and be called again while they run. Whether a unit is done
// its results say, which are on a file system that all nodes share; files there are written under another name and
// renamed, and none is locked.
//
//	file         what it holds
//	settings.go  Settings: the keys under slurm: of a file
//	work.go      Work, Unit: what is done
//	pack.go      units become tasks, tasks of one kind an array
//	script.go    the script of an array, and the files beside it
//	tools.go     what is asked of Slurm: limits, partitions, the queue
//	run.go       Run: sends arrays, watches them, sends again what has not been done
//	tasks.go     tasks that are on their way; those of an earlier call
package slurm
