package gossip_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/gossip"
	. "starloom/fabric/crossbar/gossip/gossiptest"
)

// TestPublishedTables compares whole run-tables, cell by cell, and their utilisation strings.
func TestPublishedTables(t *testing.T) {
	for _, c := range []struct {
		name    string
		setting Setting
	}{
		{"table_1", Setting{Orders: gossip.Identity(4)}},
		{"table_2", Setting{Orders: gossip.Identity(7)}},
		{"table_3", Setting{Orders: goldenOrders(t, "table_3_perms")}},
		{"table_3", Setting{Orders: gossip.Shared([]uint32{5, 1, 0, 3, 2, 4})}},
		{"table_4", Setting{Orders: gossip.Pipelined(9)}},
		{"table_5", Setting{Orders: gossip.Pipelined(8)}},
		{"table_7", Setting{Orders: gossip.Identity(7), Scheduling: Algorithm2}},
		{"table_9", Setting{Orders: gossip.Pipelined(4), Scheduling: Algorithm2}},
		{"optimal_N3", Setting{Orders: goldenOrders(t, "optimal_N3_perms")}},
		{"optimal_N7", Setting{Orders: goldenOrders(t, "optimal_N7_perms")}},
		{"optimal_N15", Setting{Orders: goldenOrders(t, "optimal_N15_perms")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, nu := goldenTable(t, c.name)
			tables := []*gossip.Table{Step(c.setting)}
			if c.setting.Scheduling == NoScheduling {
				tables = append(tables, Fill(c.setting.Orders))
			}
			for _, table := range tables {
				require.Equal(t, want, cells(t, table))
				if nu != nil {
					require.Equal(t, nu, table.Nu())
				}
			}
		})
	}
}

// TestPublishedSessions compares both ends of Table 6, for several numbers of sessions.
func TestPublishedSessions(t *testing.T) {
	prefix, prefixNu := goldenTable(t, "table_6_prefix")
	suffix, suffixNu := goldenTable(t, "table_6_suffix")
	for sessions := 2; sessions <= 6; sessions++ {
		table := Step(Setting{Orders: gossip.Pipelined(4), Sessions: sessions})
		rows, nu := cells(t, table), table.Nu()
		for p, row := range rows {
			require.Equal(t, suffix[p], row[len(row)-len(suffix[p]):], "processor %d of %d sessions", p, sessions)
			if sessions > 2 { // with two, the end begins before column 19
				require.Equal(t, prefix[p], row[:len(prefix[p])], "processor %d of %d sessions", p, sessions)
			}
		}
		if sessions > 2 {
			require.Equal(t, prefixNu, nu[:len(prefixNu)])
		}
		require.Equal(t, suffixNu, nu[len(nu)-len(suffixNu):])
	}
}

func TestSessionLengths(t *testing.T) {
	for _, record := range golden(t, "sessions") {
		N := number(t, record[0])
		for sessions := 1; sessions <= 4; sessions++ {
			want := number(t, record[sessions])
			require.Equal(t, want, gossip.PipelinedLength(N, sessions), "N = %d", N)
			require.Equal(t, want, Length(Setting{Orders: gossip.Pipelined(N), Sessions: sessions}), "N = %d", N)
		}
		if N >= 2 {
			require.Equal(t, number(t, record[5]), gossip.SessionPeriod(N))
		}
		require.Equal(t, number(t, record[6]), gossip.UsedSlots(N))
	}
}

// TestLengths compares N = 1 to 160: the closed forms, the references, the bounds.
func TestLengths(t *testing.T) {
	for _, record := range golden(t, "lengths") {
		values := make([]int, len(record))
		for i := range record {
			values[i] = number(t, record[i])
		}
		N := values[0]
		require.Equal(t, values[1], gossip.IdentityLength(N), "N = %d", N)
		require.Equal(t, values[2], gossip.IdentityDoubleColumns(N), "N = %d", N)
		require.Equal(t, values[1], gossip.SerialLength(N)-gossip.IdentityDoubleColumns(N))
		require.Equal(t, values[3], gossip.PipelinedLength(N, 1), "N = %d", N)
		for i, c := range []struct {
			pipelined  bool
			scheduling Scheduling
		}{{false, Algorithm2}, {true, Algorithm2}, {false, Algorithm2Prime}, {true, Algorithm2Prime}} {
			require.Equal(t, values[4+i], ScheduledLength(N, c.pipelined, c.scheduling), "N = %d, %+v", N, c)
		}
		require.Equal(t, values[8], gossip.LowerBound(N), "N = %d", N)
		require.Equal(t, values[9], gossip.FreeLowerBound(N), "N = %d", N)
		if N > 40 && !*full {
			continue
		}
		identity, pipelined := gossip.Identity(N), gossip.Pipelined(N)
		require.Equal(t, values[1], Fill(identity).Columns(), "N = %d", N)
		require.Equal(t, values[3], Fill(pipelined).Columns(), "N = %d", N)
		for i, s := range []Setting{
			{Orders: identity}, {Orders: pipelined},
			{Orders: identity, Scheduling: Algorithm2}, {Orders: pipelined, Scheduling: Algorithm2},
			{Orders: identity, Scheduling: Algorithm2Prime}, {Orders: pipelined, Scheduling: Algorithm2Prime},
		} {
			require.Equal(t, values[[]int{1, 3, 4, 5, 6, 7}[i]], Length(s), "N = %d, %d", N, i)
		}
	}
}

// TestTable8 repeats the lengths of Table 8 and its efficiencies, to N = 2047.
func TestTable8(t *testing.T) {
	for _, record := range golden(t, "table_8") {
		i, N, want, prime := number(t, record[0]), number(t, record[1]), number(t, record[2]), number(t, record[5])
		require.Equal(t, want, ScheduledLength(N, false, Algorithm2), "N = %d", N)
		require.Equal(t, prime, ScheduledLength(N, false, Algorithm2Prime), "N = %d", N)
		require.Equal(t, 3*N-i, prime, "Algorithm 2' is as short as %d orders can be", N)
		epsilon, _ := gossip.Epsilon(gossip.UsedSlots(N), N+1, want).Float64()
		require.Equal(t, record[4], strconv.FormatFloat(100*epsilon, 'f', 6, 64))
		published, err := strconv.ParseFloat(record[3], 64)
		require.NoError(t, err)
		require.InDelta(t, published, 100*epsilon, 0.005)
	}
}

// TestOtherFabrics repeats section 9 of the specification: a cap on messages per step.
func TestOtherFabrics(t *testing.T) {
	for _, c := range []struct{ N, limit, identity, pipelined int }{
		{9, 1, 90, 90}, {9, 2, 74, 47}, {9, 3, 74, 36}, {9, 4, 74, 29}, {9, 0, 74, 27},
		{31, 4, 767, 254}, {31, 8, 767, 138}, {31, 0, 767, 93},
	} {
		require.Equal(t, c.identity, Length(Setting{Orders: gossip.Identity(c.N), Cap: c.limit}), "%+v", c)
		require.Equal(t, c.pipelined, Length(Setting{Orders: gossip.Pipelined(c.N), Cap: c.limit}), "%+v", c)
	}
}

// TestAloha compares means with those of 1,000,000 runs.
func TestAloha(t *testing.T) {
	runs := 6_000
	if *full {
		runs = 200_000
	}
	for _, c := range []struct {
		orders   gossip.Orders
		delayed  bool
		mean, sd float64
		rounding float64
	}{
		{gossip.Identity(7), false, 70.99, 6.0, 0.005}, {gossip.Pipelined(7), false, 120.56, 12.4, 0.005},
		{gossip.Identity(7), true, 78.5, 9, 0.05}, {gossip.Pipelined(7), true, 125.2, 13, 0.05},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		sum, squares := 0.0, 0.0
		for range runs {
			steps := float64(Aloha(c.orders, c.delayed, random))
			sum += steps
			squares += steps * steps
		}
		mean := sum / float64(runs)
		sd := math.Sqrt(squares/float64(runs) - mean*mean)
		require.InDelta(t, c.mean, mean, 4*sd/math.Sqrt(float64(runs))+c.rounding, "sd %.2f", sd)
		if !c.delayed {
			require.InDelta(t, c.sd, sd, 0.02*c.sd)
		}
	}
}

// TestReferencesAgree runs both references on random orders, which share nothing.
func TestReferencesAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		orders := randomOrders(1+random.IntN(12), random)
		step, fill := Step(Setting{Orders: orders}), Fill(orders)
		require.Equal(t, cells(t, fill), cells(t, step), "round %d: %v", round, orders)
		N, metrics := orders.N(), step.Metrics()
		require.GreaterOrEqual(t, metrics.Lambda, gossip.LowerBound(N))
		require.LessOrEqual(t, metrics.Lambda, gossip.SerialLength(N))
		used := 0
		for _, slots := range metrics.Nu {
			require.True(t, slots%2 == 0 && 2 <= slots && slots <= N+1, "%v", metrics.Nu)
			used += slots
		}
		require.Equal(t, gossip.UsedSlots(N), used)
		require.Equal(t, gossip.SerialLength(N), Length(Setting{Orders: orders, Cap: 1}))
	}
}

// randomOrders returns a random order for every processor.
func randomOrders(N int, random *rand.Rand) gossip.Orders {
	orders := gossip.Identity(N)
	for _, row := range orders {
		random.Shuffle(N, func(i, j int) { row[i], row[j] = row[j], row[i] })
	}
	return orders
}

// TestStages checks the properties of the automaton: stage B is entered in the order of ids, and
// stage A contains the messages of the lower ids.
func TestStages(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		orders := randomOrders(1+random.IntN(12), random)
		before := -1
		for p := range orders {
			start, received := -1, 0
			for run := range Step(Setting{Orders: orders}).Row(p) {
				switch run.Cell.Action {
				case gossip.Sent, gossip.Blocked:
					if start < 0 {
						start = int(run.Column)
						require.Equal(t, p, received)
					}
				case gossip.Received:
					require.Equal(t, received < p, int(run.Cell.Peer) < p)
					received++
				}
			}
			require.Greater(t, start, before)
			before = start
		}
	}
}
