// Package plan reads sweep files: axes, and the points that they span.
//
//	bytes --Parse--> Plan: axes (keys, values), zip, where, seeds --Points--> what each point sets
//
// Values are exact: what a range counts are decimals, never binary fractions. A point knows what it
// sets, not what that means: a scenario takes it as if it stood in its file.
//
//	file        what it holds
//	plan.go     Plan and Parse: the keys of a sweep file
//	axis.go     Axis: its values, given or counted
//	decimal.go  numbers of ranges, in decimals
//	points.go   Points: the product of the axes, those that go together, those that where leaves
//	schema.go   the JSON Schema of sweep files
//	where.go    conditions on points; text.go: a value in one line
package plan
