package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/freeaddr"
)

const (
	nodeBuses   = 1000
	nodeParents = 5 // watchers of each bus
	nodeKeys    = "bench:dGhlIGJlbmNobWFyaydzIG93biBrZXksIGtub3duIHRvIGFsbCE="
)

// nodes measures two nodes of the service on one PostgreSQL: buses report to one
// node, and parents watch on both.
func nodes(ctx context.Context, l *lab) error {
	t, err := l.emptyDatabase(ctx, l.targets[1], "nodes")
	if err != nil {
		return err
	}
	pair, err := l.pair(ctx, t)
	if err != nil {
		return err
	}
	defer pair[0].Kill()
	defer pair[1].Kill()
	w, err := newBusWorld(ctx, t, pair[0])
	if err != nil {
		return err
	}
	f, err := newFleet(ctx, w.dialect(pair), nodeBuses, nodeParents)
	if err != nil {
		return err
	}
	defer f.close()
	cpu := func() float64 { return cpuSeconds(pair[0].PID()) + cpuSeconds(pair[1].PID()) }
	f.measure(cpu, nodeBuses, 5*time.Second) // warm-up: the nodes learn each other's rooms
	m := f.measure(cpu, nodeBuses, 20*time.Second)
	tracked, err := count(ctx, t, `SELECT COUNT(DISTINCT trip_id) FROM trip_positions`)
	if err != nil {
		return err
	}
	fmt.Printf("%d buses at 1 position a second, half of them on each node; %d parents, three of five on the other node; 20 s.\n\n",
		nodeBuses, nodeBuses*nodeParents)
	fmt.Println("| Deliveries wanted | got | lost, twice, wrong room | p50 | p99 | CPU s/s of both nodes | Trips with a track |")
	fmt.Println("|---:|---:|---|---:|---:|---:|---:|")
	fmt.Printf("| %d | %d | %s | %s | %s | %.2f | %d |\n", m.wanted, m.got, m.faults, short(m.p50), short(m.p99), m.cpu, tracked)
	return nil
}

// pair starts two nodes of one installation.
func (l *lab) pair(ctx context.Context, t target) (pair [2]*process.Server, err error) {
	var addr [2]string
	for i := range addr {
		if addr[i], err = freeaddr.Local(); err != nil {
			return pair, err
		}
	}
	for i := range pair {
		pair[i], err = process.Serve(ctx, l.bin, "--demo", "--data", fmt.Sprintf("%s/node-%d", l.dir, i),
			"--database-url", t.url, "--keys", nodeKeys, "--cluster-listen", addr[i], "--cluster-peers", addr[1-i],
			"--cluster-secret", "of the benchmark nodes")
		if err != nil {
			return pair, err
		}
	}
	return pair, nil
}

// dialect is the protocol of the service. A fix is identified by its time.
func (w *busWorld) dialect(pair [2]*process.Server) dialect {
	driven := map[int]float64{} // fixes of each bus: the drivers of the next fleet go on from there
	return dialect{
		dial: func(ctx context.Context, i, bus int, drives bool) (*member, error) {
			token, node := w.drivers[bus], bus%2
			if !drives {
				token = w.parents[i-nodeBuses]
				node = (bus + i/nodeBuses) % 2 // three of five on the other node
			}
			return newMember(ctx, pair[node].URL+"/socket.io/", token, w.school, w.buses[bus])
		},
		say: func(f *fleet, dst []byte, bus int) []byte {
			now := time.Now().UTC()
			driven[bus]++
			return fmt.Appendf(dst, `42["update-location",{"lat":%.5f,"lng":69.24,"speed":36,"heading":0,"timestamp":"%s"}]`,
				41.3+driven[bus]*0.0001, now.Format("2006-01-02T15:04:05.000000Z"))
		},
		read: func(f *fleet, payload []byte) (int64, int64) {
			_, rest, _ := bytes.Cut(payload, []byte(`"timestamp":"`))
			text, _, _ := bytes.Cut(rest, []byte(`"`))
			at, err := time.Parse(time.RFC3339Nano, string(text))
			if err != nil {
				return 0, 0 // counted as a duplicate
			}
			return at.Sub(f.start).Microseconds(), at.UnixMicro()
		},
	}
}
