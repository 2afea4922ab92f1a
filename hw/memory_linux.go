package hw

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// MemoryAvailable returns the number of bytes that the process may still allocate under the limits of the kernel and
// its control groups. limit is a sentence about the limit with %s for the amount, "" if the limit is unknown.
func MemoryAvailable() (bytes uint64, limit string) { return memoryAvailable("/") }

func memoryAvailable(root string) (bytes uint64, limit string) {
	bytes, limit = math.MaxUint64, ""
	for _, line := range fileLines(filepath.Join(root, "proc/meminfo")) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemAvailable:" {
			if kilobytes, err := strconv.ParseUint(fields[1], 10, 54); err == nil {
				bytes, limit = kilobytes<<10, "this machine has %s available"
			}
		}
	}
	for _, line := range fileLines(filepath.Join(root, "proc/self/cgroup")) {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		var left uint64
		switch mount := filepath.Join(root, "sys/fs/cgroup"); {
		case parts[1] == "": // version 2, alone or together with version 1
			left = min(groupLeaves(mount, parts[2], groupVersion2),
				groupLeaves(filepath.Join(mount, "unified"), parts[2], groupVersion2))
		case strings.Contains(","+parts[1]+",", ",memory,"):
			left = groupLeaves(filepath.Join(mount, "memory"), parts[2], groupVersion1)
		default:
			continue
		}
		if left < bytes {
			bytes, limit = left, "its control group leaves it %s"
		}
	}
	if limit == "" {
		return 0, ""
	}
	return bytes, limit
}

// groupFiles names the files of a control group: its limit, its memory use, and the statistics with the reclaimable
// page cache.
type groupFiles struct{ limit, use, files string }

var (
	groupVersion1 = groupFiles{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
	groupVersion2 = groupFiles{"memory.max", "memory.current", "inactive_file"}
)

// groupLeaves returns the memory left by a control group and all its ancestors: the minimum of all. A missing path
// has no limit. In a container the process sees its own group as the root.
func groupLeaves(mount, path string, names groupFiles) (bytes uint64) {
	bytes = math.MaxUint64
	for path = filepath.Clean("/" + path); ; path = filepath.Dir(path) {
		bytes = min(bytes, names.leaves(filepath.Join(mount, path)))
		if path == "/" {
			return bytes
		}
	}
}

// leaves returns the memory left by one control group. It reads the use only below a limit, because the kernel
// computes the use for each reader.
func (names groupFiles) leaves(folder string) (bytes uint64) {
	limit, limited := fileNumber(filepath.Join(folder, names.limit))
	if !limited || limit >= math.MaxInt64/2 {
		return math.MaxUint64
	}
	use, known := fileNumber(filepath.Join(folder, names.use))
	if !known {
		return math.MaxUint64
	}
	for _, line := range fileLines(filepath.Join(folder, "memory.stat")) {
		if files, ok := strings.CutPrefix(line, names.files+" "); ok {
			n, _ := strconv.ParseUint(files, 10, 64) // an invalid number counts as 0
			use -= min(n, use)
		}
	}
	return limit - min(use, limit)
}

func fileNumber(path string) (value uint64, ok bool) {
	for _, line := range fileLines(path) {
		value, err := strconv.ParseUint(line, 10, 64)
		return value, err == nil
	}
	return 0, false
}

func fileLines(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
