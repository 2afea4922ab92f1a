// Package config defines elaborated scenarios, in which every default, range, size, plan and rule is decided. A
// Config runs, not a file.
//
//	scenario --elaborate--> Config --> emulator, record, runs
package config
