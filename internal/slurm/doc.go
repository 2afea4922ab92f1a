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
package slurm
