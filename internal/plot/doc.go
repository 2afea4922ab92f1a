// Package plot draws tables of results: what a sweep has written, a study's table, any CSV file with a header.
//
//	table --Read--> Table --Draw--> a figure
package plot
