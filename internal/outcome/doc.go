// Package outcome is what a run has come to: data, and its forms for people and scripts.
//
//	machine, batch, study -> Report, SeedsReport, StudyReport -> WriteText, WriteJSON, WriteJUnit
//
// It knows no machine and no scenario: whatever a report says was put into it.
//
//	file           what it holds
//	report.go      Report: the outcome of one run; JSON
//	text.go        its form for people; junit.go: that for continuous integration
//	expect.go      Expectation: how a run is to end, and whether it has
//	violation.go   Verdict, Violation; rules.go: the rules that no network has
//	lateness.go    Lateness: how late came what has missed its deadline; Remedy
//	scene.go       Scene: what happened around a violation, for pages
//	frames.go      Frames: what became of frames
//	faults.go      what faults have done; causes.go: which violations they have caused
//	firmware.go    FirmwareReport: which firmware ran
//	source.go      commands that build a program's source and run it
//	handlers.go    what handlers have cost, in cycles
//	profile.go     where a call has spent its cost
//	rtl.go         RTLReport: what was RTL
//	files.go       files that were written, with what opens them
//	study.go       StudyReport and its forms
//	version.go     Version: which Starloom made a report
//	explained.go   Explained: a scenario as it runs, and who has decided each value
//	runs.go        many runs: which have failed, which took longest
//	seeds.go       SeedsReport: the report of many runs
//	statistics.go  mean, deviation, histogram of a figure
//	survival.go    survival curves over slots and rates
//	format.go      how figures, paths and JSON are written
//	meanings.go    what keys of reports, columns and endings mean, from metrics.yaml
package outcome
