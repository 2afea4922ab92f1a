// Package studies is what a study asks for, and its rows.
//
//	file        what it holds
//	study.go    a study and its rows
//	parts.go    the cases of a study, and the published figures that it compares with
package studies
