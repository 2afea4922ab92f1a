// Package plot draws curves and measured points as SVG: axes with ticks, linear or by powers
// of two, lines, points, confidence bands, a legend. It does not know what it
// draws. The same plot gives the same bytes.
//
//	1 |      ___----   -- exact
//	  |   .*'          *  measured, with its band
//	  | .*
//	0 +---------
//	  1  2  4  8
//
//	file       what it holds
//	plot.go    what a plot is
//	svg.go     how it is drawn
//	axis.go    ranges, ticks
package plot
