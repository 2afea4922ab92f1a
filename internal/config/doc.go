// Package config is what a scenario has become: every default, range, need of the program, size, plan
// and rule decided. What runs is a Config, not a file.
//
//	scenario --elaborate--> Config --> emulator, record, runs
//
//	file         what it holds
//	config.go    Config, and the errors that name where a value is from
//	networks.go  Networks from Go as keys of scenario files
//	permutation.go  a permutation as a file has it, a word or a list
//	schema.go    Described: the JSON Schema of scenarios
//	settings.go  Settings: the values of all keys, and who has decided each
package config
