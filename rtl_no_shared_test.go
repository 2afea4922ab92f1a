//go:build !purego || !unix

package starloom

const sharedInBuild = false
