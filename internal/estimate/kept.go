package estimate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"starloom/traces"
)

// kept are the measurements of a scenario on this machine.
type kept struct {
	path  string  // "": they are not kept
	Found []found `json:"measured"`
	fresh bool    // some were made now
}

type found struct {
	Steps    int           `json:"steps"`
	Limit    time.Duration `json:"limit_ns"`
	Measured *Measured     `json:"measured"`
}

// open reads what was measured before: nothing if it cannot be read.
func open(folder, identity string, again bool) *kept {
	k := &kept{}
	if folder == "" || identity == "" {
		return k
	}
	machine, err := machineIdentity()
	if err != nil {
		return k
	}
	sum := sha256.Sum256([]byte(machine + "\x00" + identity))
	k.path = filepath.Join(folder, hex.EncodeToString(sum[:12])+".json")
	if again {
		return k
	}
	if data, err := os.ReadFile(k.path); err == nil && json.Unmarshal(data, k) != nil {
		k.Found = nil
	}
	return k
}

// find is a measurement that serves for this limit: one that has ended, or was run about as long.
func (k *kept) find(steps int, limit time.Duration) *Measured {
	for _, f := range k.Found {
		if f.Steps == steps && f.Measured != nil && (f.Measured.Whole || f.Limit >= limit/2) {
			return f.Measured
		}
	}
	return nil
}

// add keeps a measurement. That it cannot be written costs the next one its time, no more.
func (k *kept) add(steps int, limit time.Duration, m *Measured) {
	k.fresh = true
	k.Found = append(k.Found, found{steps, limit, m})
	if k.path == "" {
		return
	}
	data, err := json.Marshal(k)
	if err != nil || os.MkdirAll(filepath.Dir(k.path), 0o755) != nil {
		return
	}
	file, err := traces.Create(k.path)
	if err != nil {
		return
	}
	defer file.Abort()
	if _, err := file.Write(data); err == nil {
		_ = file.Commit()
	}
}

// machineIdentity is that of this executable on this machine: measurements of others are not its own.
func machineIdentity() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	host, _ := os.Hostname()
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano(), host, runtime.GOARCH, runtime.GOMAXPROCS(0), processorModel()), nil
}

// processorModel is what the operating system says of the processor, "" if it does not.
func processorModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "model name") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
