// Package explain finds what figures mean, by the names that reports, tables and studies give them.
//
//	metrics.yaml of each package --Collect--> Book --Find--> Answer --WriteText--> people
//
// Each package that makes figures says what they mean, beside its code; a network from Go may, too
// (fabric.Description). This one knows where they all are, and how names are put together: a figure, an index
// of a list, and endings such as .p99 and .mean.
package explain
