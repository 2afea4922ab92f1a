// Package hypergroups is a network whose processors are not wired alike: groups on a star each, joined by one star of their first
// processors. docs/new-fabric.md names it.
package hypergroups
