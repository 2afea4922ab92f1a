package main

import "starloom/cmd/cli"

func main() { cli.Main() }
