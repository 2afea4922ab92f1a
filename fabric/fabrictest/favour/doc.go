// Package favour is a kind of arbiter outside package hw, built by the guide docs/how-to/add-an-arbiter.md.
package favour
