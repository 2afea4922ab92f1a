// Package slurmtest runs a Slurm cluster of one node for a test, in a separate folder with its own ports, keys and
// state. It does not use the machine's Slurm configuration.
//
//	munged <--- slurmctld <--- slurmd
//	               ^ sbatch, squeue, ... with SLURM_CONF
package slurmtest

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// limits of the cluster, small enough for tests to reach
const (
	ArrayMax  = 21    // MaxArraySize
	MemoryMiB = 4000  // memory of the node
	CPUs      = 2     // processors of the node
	Partition = "all" // default partition; jobs of the partition "short" may take one minute
)

// configuration describes a cluster whose only node is also the controller, in a plain container without cgroups.
const configuration = `ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
AuthType=auth/munge
AuthInfo=socket=%[5]s/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0,defer_batch
StateSaveLocation=%[5]s/state
SlurmdSpoolDir=%[5]s/spool
SlurmctldPidFile=%[5]s/slurmctld.pid
SlurmdPidFile=%[5]s/slurmd.pid
SlurmctldLogFile=%[5]s/slurmctld.log
SlurmdLogFile=%[5]s/slurmd.log
MpiDefault=none
ReturnToService=2
MinJobAge=3
KillWait=2
MaxArraySize=%[6]d
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=%[7]d RealMemory=%[8]d State=UNKNOWN
PartitionName=%[9]s Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=ALL MaxTime=1 State=UP
`

var tools = []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol", "scancel"}

// Start starts a cluster and sets SLURM_CONF to its configuration until the test ends. Without Slurm it skips the
// test.
func Start(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing: this test needs Slurm (Debian: slurm-wlm munge)", tool)
		}
	}
	dir, err := os.MkdirTemp("", "slurm")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	for _, name := range []string{"state", "spool"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	host, err := os.Hostname()
	require.NoError(t, err)
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	require.NoError(t, err)
	conf := filepath.Join(dir, "slurm.conf")
	text := fmt.Sprintf(configuration, host, me.Username, freePort(t), freePort(t), dir, ArrayMax,
		CPUs, MemoryMiB, Partition)
	require.NoError(t, os.WriteFile(conf, []byte(text), 0o644))
	key := make([]byte, 128)
	_, err = rand.Read(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "munge.key"), key, 0o600))
	t.Setenv("SLURM_CONF", conf)

	in := func(name string) string { return filepath.Join(dir, "munge."+name) }
	start(t, dir, "munged", "--foreground", "--force", "--key-file="+in("key"), "--socket="+in("socket"),
		"--pid-file="+in("pid"), "--log-file="+in("log"), "--seed-file="+in("seed"))
	start(t, dir, "slurmctld", "-D")
	start(t, dir, "slurmd", "-D")
	t.Cleanup(func() { Cancel(t) })
	said := ""
	ready := func() bool {
		out, err := exec.Command("sinfo", "--noheader", "--format=%T", "--partition="+Partition).CombinedOutput()
		said = string(out)
		return err == nil && strings.TrimSpace(said) == "idle"
	}
	for begun := time.Now(); !ready(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("the cluster does not start: %s\n%s\n%s", said, tail(filepath.Join(dir, "slurmctld.out")),
				tail(filepath.Join(dir, "slurmd.out")))
		}
	}
}

func start(t *testing.T, dir, name string, words ...string) {
	t.Helper()
	out, err := os.Create(filepath.Join(dir, name+".out"))
	require.NoError(t, err)
	command := exec.Command(name, words...)
	command.Stdout, command.Stderr = out, out
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		stop := time.AfterFunc(10*time.Second, func() { _ = command.Process.Kill() })
		_ = command.Wait() // the process was killed
		stop.Stop()
		require.NoError(t, out.Close())
	})
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func tail(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-2000):])
}

// Queue lists the tasks in the queue in the format of squeue: number of the array, number of the task, state.
func Queue(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("squeue", "--noheader", "--array", "--format=%F %K %T").Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// Cancel ends all jobs and waits until the queue is empty.
func Cancel(t *testing.T) {
	t.Helper()
	me, err := user.Current()
	require.NoError(t, err)
	_ = exec.Command("scancel", "--user="+me.Username).Run() // an empty queue is an error, which is ignored
	for begun := time.Now(); Queue(t)[0] != "" && time.Since(begun) < 30*time.Second; time.Sleep(200 * time.Millisecond) {
	}
}
