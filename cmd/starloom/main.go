// Command starloom emulates interconnect hardware and its firmware. Package cmd/cli is its command line, described by
// `starloom help`.
package main

import "starloom/cmd/cli"

func main() { cli.Main() }
