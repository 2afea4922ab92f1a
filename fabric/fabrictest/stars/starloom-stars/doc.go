// Command starloom-stars is Starloom with one more network: the end of the guide docs/new-fabric.md.
package main
