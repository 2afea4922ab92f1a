// Package config is what a scenario has become: every default, range, need of the program, size, plan
// and rule decided. What runs is a Config, not a file.
//
//	scenario --elaborate--> Config --> emulator, record, runs
package config
