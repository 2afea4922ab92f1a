// Command starloom runs emulations of interconnect hardware and of its firmware: package cmd/cli is
// its command line, which `starloom help` describes.
//
//	file     what it holds
//	main.go  calls package cli
package main
