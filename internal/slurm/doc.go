// Package slurm runs work as jobs of a Slurm cluster: arrays of tasks that each do some units of the work.
//
//	Work: units, time and memory of each --pack--> arrays of tasks --sbatch--> the cluster
//	         ^                                                                    |
//	         '------ sent again <--- failed, lost, out of time <--- squeue, results
//
// Slurm alone schedules. The command that sends the jobs needs only sbatch, squeue, sinfo and scontrol, no
// accounting; it may end and be called again while they run. Results on a file system shared by all nodes show which
// units are done. Files there are written under a temporary name and renamed, never locked.
package slurm
