// Command starloom runs emulations of interconnect hardware and of its firmware: package cmd/cli is
// its command line, which `starloom help` describes.
package main

import "starloom/cmd/cli"

func main() { cli.Main() }
