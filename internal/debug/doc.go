// Package debug lets gdb hold the time of a machine: the server of gdb's remote serial protocol for programs for
// RISC-V.
//
//	gdb --packets--> connection --commands--> session --> machine: Run, Save, Restore
//	                                             ^            |
//	                                             +-- Before --+ each instruction of a followed processor
//
// A stop is a call of Before that does not return: the whole machine stands still inside a turn of a processor. A
// position is the number of instructions that the followed processors have executed since the start. A run is a
// function of its scenario, so a session goes back by restoring a state from before a position, and running up to the
// position again.
//
// The protocol: Debugging with GDB, appendix "GDB Remote Serial Protocol".
package debug
