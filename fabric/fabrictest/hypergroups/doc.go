// Package hypergroups is a network of unequal processors: groups on a star each, joined by one star of their first processors.
// docs/how-to/add-a-network.md names it.
package hypergroups
