//go:build purego && unix

package starloom

const sharedInBuild = true
