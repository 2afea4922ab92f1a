// Package outcome is what a run has come to: data, and its forms for people and scripts.
//
//	machine, batch, study -> Report, SeedsReport, StudyReport -> WriteText, WriteJSON, WriteJUnit
//
// Report, SeedsReport, StudyReport and Explained with their fields are the API. Aside, Known and what pages show are for Starloom, and
// may change.
//
// It knows no machine and no scenario: whatever a report says was put into it.
package outcome
