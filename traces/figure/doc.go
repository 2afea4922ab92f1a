// Package figure draws what runs and studies have found, as SVG and PNG: lines with bands, points with bars,
// published points beside measured ones, histograms, heat maps; linear axes or by powers of two or ten. It does
// not know what it draws. The same figure gives the same bytes.
//
//	1 |      ___----   -- exact
//	  |   .*'          *  measured, with its band
//	  | .*
//	0 +---------
//	  1  2  4  8
//
// Curves differ by colour, marker and dashes; the colours are those of M. Okabe and K. Ito, "Color Universal
// Design" (2008), which most people with a colour vision deficiency tell apart. An SVG is light or dark as the
// reader's system is.
package figure
