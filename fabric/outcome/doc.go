// Package outcome is what a run has come to: data, and its forms for people and scripts.
//
//	machine, batch, study -> Report, SeedsReport, StudyReport -> WriteText, WriteJSON, WriteJUnit
//
// It knows no machine and no scenario: whatever a report says was put into it.
package outcome
