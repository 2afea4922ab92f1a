// Command dist builds what is handed out: for each system an archive with the static program, its manual
// pages, completion for shells, licence and README, and the checksums of all.
//
//	go build (linux, darwin, windows; amd64, arm64) --+
//	starloom help --man, starloom completion ---------+--> starloom-SYSTEM-ARCHITECTURE.tar.gz, .zip
//	LICENSE, README.md -------------------------------+--> SHA256SUMS
//
// The same sources and the same version of Go give the same bytes, in any folder, at any time and on any
// machine: paths are trimmed, and times, owners and order in archives are fixed. `make dist` runs it.
package main
