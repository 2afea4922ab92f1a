// Command starloom-stars is Starloom with one more network, the result of docs/how-to/add-a-network.md.
package main

import (
	"starloom/cmd/cli"
	"starloom/fabric/fabrictest/stars"
)

func main() { cli.Main(stars.Stars{Size: 3}) }
