// Package outcome is what a run has come to: data, and its forms for people and scripts.
//
//	machine, batch, study -> Report, SeedsReport, StudyReport -> WriteText, WriteJSON, WriteJUnit
//
// It knows no machine and no scenario: whatever a report says was put into it.
//
//	file           what it holds
//	report.go      Report, StudyReport and what they are made of; JSON
//	text.go        the form for people, JUnit, and how numbers and paths are written
//	rules.go       the rules that no network has
//	faults.go      what faults have done: causes of violations
//	handlers.go    what handlers have cost, in cycles
//	profile.go     where a call has spent its cost
//	runs.go        many runs: which have failed, which took longest; their figures
//	seeds.go       SeedsReport: the report of many runs
//	statistics.go  mean, deviation, histogram of a figure
//	survival.go    survival curves over slots and rates
package outcome
