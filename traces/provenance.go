package traces

import (
	"crypto/sha256"
	"encoding/hex"
)

// Provenance names the inputs of a report. It omits paths, threads and engine, so that equal inputs yield equal
// bytes.
type Provenance struct {
	Version string   `json:"version"`          // of Starloom, with the commit
	SHA256  string   `json:"sha256,omitempty"` // of the scenario's or pin map's file; "" without one
	Set     []string `json:"set,omitempty"`    // values of --set, KEY=VALUE, by key
}

// SHA256 returns the SHA-256 of data in hex.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
