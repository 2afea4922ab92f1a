// Package slurmtest runs a Slurm cluster of one node for a test: the real thing, in a folder of its own, with ports,
// keys and a state of its own. Nothing of the machine's Slurm is touched, if it has one.
//
//	munged <--- slurmctld <--- slurmd
//	               ^ sbatch, squeue, ... with SLURM_CONF
package slurmtest
