// Package sourcestest gives tests a copy of the repository, in which they build and run what they want.
package sourcestest
