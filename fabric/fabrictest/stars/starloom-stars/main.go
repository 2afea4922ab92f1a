package main

import (
	"starloom/cmd/cli"
	"starloom/fabric/fabrictest/stars"
)

func main() { cli.Main(stars.Stars{Size: 3}) }
