// Package ej is Eisenstein-Jacobi networks of any dimension, in which every node has six links
// in each dimension, and broadcasting in them (Z. Hussain, "An Improved One-to-All Broadcasting
// in Higher Dimensional Eisenstein-Jacobi Networks").
//
//	network.go    sizes, numbering, names
//	hardware.go   links and credits in the cycle engine
//	slot.go       the same in the slot engine: work grows with the frames
//	programs.go   what the programs need
//	memory.go     what a run takes
//	rom.go        the tables of the programs for every alpha, and the routes of traffic
//	referee.go    who has received which message, in which step
//	study.go      published figures beside runs; study_tables.go: tables, study_limits.go: what does not hold
//	eisenstein/   arithmetic, trees, closed forms, run-tables
//	meanings.go   what figures of runs and studies mean, from metrics.yaml
//	example.go    a small scenario of each program, for those who begin
package ej
