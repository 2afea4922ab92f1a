// Package template writes a scenario that a user begins with: what it gives, and as comments what else there is to change, each key
// with what it means. It completes keys and values on a command line, too.
//
//	settings (of a scenario that is loaded) + JSON Schema --Write--> YAML
//
//	file          what it holds
//	template.go   Write
//	complete.go   how a key or a value goes on
//	describe.go   what a key means, by the JSON Schema
package template
