// Package template writes a scenario that a user begins with: what it gives, and as comments what else there is to change, each key
// with what it means. It completes keys and values on a command line, too.
//
//	settings (of a scenario that is loaded) + JSON Schema --Write--> YAML
package template
