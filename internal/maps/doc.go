// Package maps reads the files that say which signal or pin is which: pin maps of RTL, and the maps
// of `trace diff` and `trace decode`. Every error has file, line and column.
package maps
