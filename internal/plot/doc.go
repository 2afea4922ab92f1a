// Package plot draws tables of results: what a sweep has written, a study's table, any CSV file with a header.
//
//	table --Read--> Table --Draw--> a figure
//
//	file         what it holds
//	table.go     Table: the columns of a CSV file, which of them are axes
//	plot.go      Options, Draw: lines by x and y, heat maps by x, y and z; published points
//	histogram.go how often a column has which values
//	notes.go     what a picture does not show
package plot
