// Package hypergroups is a network of unequal processors: groups on a star each, joined by one star of their first processors.
// docs/new-fabric.md names it.
package hypergroups
