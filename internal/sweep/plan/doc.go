// Package plan reads sweep files: axes, and the points that they span.
//
//	bytes --Parse--> Plan: axes (keys, values), zip, where, seeds --Points--> settings of each point
//
// Values are exact: ranges count in decimals, not binary fractions. A point holds settings without interpreting them;
// they have the effect of lines in the scenario.
package plan
