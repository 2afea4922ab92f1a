// Package favour is a kind of arbiter outside package hw: the one that the guide docs/new-arbiter.md builds.
package favour
