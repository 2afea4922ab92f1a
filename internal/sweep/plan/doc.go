// Package plan reads sweep files: axes, and the points that they span.
//
//	bytes --Parse--> Plan: axes (keys, values), zip, where, seeds --Points--> what each point sets
//
// Values are exact: what a range counts are decimals, never binary fractions. A point knows what it
// sets, not what that means: a scenario takes it as if it stood in its file.
package plan
