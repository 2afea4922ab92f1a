// Package template writes a scenario for a user to start with: chosen keys as lines, further keys as comments, each
// with its meaning. It also completes keys and values on a command line.
//
//	settings (of a loaded scenario) + JSON Schema --Write--> YAML
package template
