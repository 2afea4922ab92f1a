// Package sourcestest gives tests a copy of the repository, in which they build and run what they want.
//
//	file              what it holds
//	sourcestest.go    Copy
package sourcestest
