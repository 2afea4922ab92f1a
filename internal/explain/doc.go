// Package explain finds the meaning of figures by their names in reports, tables and studies.
//
//	metrics.yaml of each package --Collect--> Book --Find--> Answer --WriteText--> text
//
// Each package describes its own figures, as may a network written in Go (fabric.Description). This package collects
// the descriptions and knows the structure of names: a figure, an index of a list, and endings such as .p99 and
// .mean.
package explain
