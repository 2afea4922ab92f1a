//go:build !shared || !unix

package starloom

const sharedInBuild = false
