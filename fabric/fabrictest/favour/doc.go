// Package favour is a kind of arbiter outside package hw, built by the guide docs/new-arbiter.md.
package favour
