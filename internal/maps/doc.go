// Package maps reads files that name signals or pins: pin maps of RTL, and the maps of `trace diff` and `trace
// decode`. Every error has file, line and column.
package maps
