// Command starloom-stars is Starloom with one more network: the end of the guide docs/new-fabric.md.
//
//	file     what it holds
//	main.go  calls package cli
package main
