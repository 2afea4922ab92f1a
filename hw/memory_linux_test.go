package hw

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryAvailable(t *testing.T) {
	const meminfo = "MemTotal: 16000 kB\nMemFree: 1000 kB\nMemAvailable: 8000 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		bytes uint64
		limit string
	}{
		"nothing":  {nil, 0, ""},
		"no group": {map[string]string{"proc/meminfo": meminfo}, 8000 << 10, "this machine has %s available"},
		"v2": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "100\n",
			"sys/fs/cgroup/a/memory.max": "5000\n", "sys/fs/cgroup/a/memory.current": "3000\n", "sys/fs/cgroup/a/memory.stat": "anon 7\ninactive_file 500\n"}, 2500, "its control group leaves it %s"},
		"v2 in a container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../x\n", "sys/fs/cgroup/memory.max": "5000\n", "sys/fs/cgroup/memory.current": "9000\n"}, 0, "its control group leaves it %s"},
		"v1": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:cpu,memory:/x\n0::/\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/x/memory.usage_in_bytes": "1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "4000\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "1000\n"}, 3000, "its control group leaves it %s"},
		"more than there is": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "900000000\n", "sys/fs/cgroup/memory.current": "0\n"}, 8000 << 10, "this machine has %s available"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for path, text := range c.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(text), 0o644))
			}
			bytes, limit := memoryAvailable(root)
			require.Equal(t, c.bytes, bytes)
			require.Equal(t, c.limit, limit)
		})
	}
	bytes, limit := MemoryAvailable()
	require.Positive(t, bytes)
	require.NotEmpty(t, limit)
}
