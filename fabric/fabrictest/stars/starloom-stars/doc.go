// Command starloom-stars is Starloom with one more network: the end of the guide docs/how-to/add-a-network.md.
package main
