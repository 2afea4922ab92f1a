// Command dist builds release archives: for each system the static program with its manual pages, shell completions,
// licence and README, and the checksums of all archives.
//
//	go build (linux, darwin, windows; amd64, arm64) --+
//	starloom help --man, starloom completion ---------+--> starloom-SYSTEM-ARCHITECTURE.tar.gz, .zip
//	LICENSE, README.md -------------------------------+--> SHA256SUMS
//
// Equal sources and an equal version of Go yield equal bytes in any folder, at any time, on any machine: paths are
// trimmed, and times, owners and order in archives are fixed. `make dist` runs it.
package main
