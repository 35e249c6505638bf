package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/db/dbtest/pgserver"
)

// peerPlan is how long peers measures.
type peerPlan struct {
	rounds            int
	warm, round, half time.Duration
}

// peers compares the service with a bare server that was written for the answers of
// the scenarios. Arguments: names of scenarios, -short, and -engine.
func peers(ctx context.Context, l *lab) error {
	plan := peerPlan{rounds: 3, warm: time.Second, round: 2 * time.Second, half: 4 * time.Second}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	short := flags.Bool("short", false, "one short round of each scenario")
	engine := flags.String("engine", "", "only sqlite or postgresql")
	if err := flags.Parse(l.args); err != nil {
		return err
	}
	if *short {
		plan = peerPlan{rounds: 1, warm: time.Second / 2, round: time.Second, half: time.Second}
	}
	chosen := slices.Clone(scenarios)
	if names := flags.Args(); len(names) > 0 {
		chosen = slices.DeleteFunc(chosen, func(s scenario) bool { return !slices.Contains(names, s.name) })
		if len(chosen) != len(names) {
			return fmt.Errorf("there is no such scenario among %q", names)
		}
	}
	for _, t := range l.targets {
		if *engine != "" && !strings.EqualFold(*engine, t.engine) {
			continue
		}
		if err := peersOn(ctx, l, t, chosen, plan); err != nil {
			return err
		}
	}
	return nil
}

// peersOn measures on one engine and prints its table.
func peersOn(ctx context.Context, l *lab, t target, chosen []scenario, plan peerPlan) error {
	now := time.Now().UTC()
	w := newPeerWorld(time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC))
	ours, err := startOurs(ctx, l, t, w)
	if err != nil {
		return err
	}
	defer ours.stop()
	fmt.Fprintf(os.Stderr, "%s: homeroom filled after %s\n", t.engine, time.Since(now).Round(time.Second))
	bare, err := startBare(ctx, l, t, w)
	if err != nil {
		return err
	}
	defer bare.stop()
	fmt.Fprintf(os.Stderr, "%s: both filled after %s\n", t.engine, time.Since(now).Round(time.Second))
	lines := map[string]string{}
	for _, s := range inOrder(chosen) {
		if lines[s.name], err = compare(ctx, bare, ours, s, plan); err != nil {
			return fmt.Errorf("%s: %w", t.engine, err)
		}
		fmt.Fprintln(os.Stderr, lines[s.name])
	}
	fmt.Printf("\n%s\n\n", t.engine)
	fmt.Println("| Scenario | Bare: CPU s per 1,000 | requests/s | Ours: CPU s per 1,000 | requests/s | CPU, ours to bare | " +
		"Ours: p99 at half the rate |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	for _, s := range chosen {
		fmt.Println(lines[s.name])
	}
	return nil
}

// inOrder puts what only reads first, so that neither server has more rows by then.
func inOrder(chosen []scenario) []scenario {
	last := []string{"mixed", "again", "mark", "create"}
	out := slices.Clone(chosen)
	slices.SortStableFunc(out, func(a, b scenario) int { return cmp.Compare(slices.Index(last, a.name), slices.Index(last, b.name)) })
	return out
}

// compare measures the two servers in turns, and returns a line of the table.
func compare(ctx context.Context, bare, ours *peer, s scenario, plan peerPlan) (string, error) {
	sides := [2]*peer{bare, ours}
	var spells [2][]spell
	for round := range plan.rounds + 1 {
		for i, p := range sides {
			long := plan.round
			if round == 0 {
				long = plan.warm
			}
			one, err := p.drive(ctx, s, 0, long)
			if err != nil {
				return "", err
			}
			if round > 0 {
				spells[i] = append(spells[i], one)
			}
		}
	}
	b, o := medians(spells[0]), medians(spells[1])
	half, err := ours.drive(ctx, s, o.perSecond/2, plan.half)
	return fmt.Sprintf("| %s | %.3f | %.0f | %.3f | %.0f | %.1f | %s |", s.what, b.cpu, b.perSecond, o.cpu, o.perSecond, o.cpu/b.cpu,
		short(half.p99)), err
}

// medians returns the median of the rates and of the CPU times.
func medians(all []spell) (out spell) {
	slices.SortFunc(all, func(a, b spell) int { return cmp.Compare(a.perSecond, b.perSecond) })
	out.perSecond = all[len(all)/2].perSecond
	slices.SortFunc(all, func(a, b spell) int { return cmp.Compare(a.cpu, b.cpu) })
	out.cpu = all[len(all)/2].cpu
	return out
}

// startOurs starts the service with the world: schools, administrators and teachers
// through the API, everything else into its tables.
func startOurs(ctx context.Context, l *lab, t target, w *peerWorld) (*peer, error) {
	t, err := l.emptyDatabase(ctx, t, "peers")
	if err != nil {
		return nil, err
	}
	s, err := l.serve(ctx, t)
	if err != nil {
		return nil, err
	}
	for i := range peerSchools {
		token, err := openSchool(ctx, s, fmt.Sprintf("PEERS-%d", i))
		if err == nil {
			_, err = create(ctx, s, token, "/school-admin/employee/create", map[string]any{"firstName": "Ada", "lastName": "Peers",
				"phone": peerTeacher(i)})
		}
		if err != nil {
			s.Kill()
			return nil, err
		}
	}
	s.Kill()
	if err := w.fillOurs(ctx, t); err != nil {
		return nil, err
	}
	if err := l.analyze(ctx, t); err != nil {
		return nil, err
	}
	if s, err = l.serve(ctx, t); err != nil {
		return nil, err
	}
	p := &peer{name: "homeroom", id: ourID, world: w, stop: s.Kill}
	if err = p.signIn(ctx, s); err == nil {
		p.cpu, err = cpuOf(ctx, t, s.PID())
	}
	if err != nil {
		s.Kill()
	}
	return p, err
}

func peerTeacher(school int) string { return fmt.Sprintf("+1557%07d", school) }

// signIn gets the tokens of every school.
func (p *peer) signIn(ctx context.Context, s *process.Server) error {
	u, err := url.Parse(s.URL)
	if err != nil {
		return err
	}
	p.addr = u.Host
	for i := range peerSchools {
		if p.admins[i], err = s.Login(ctx, fmt.Sprintf("PEERS-%d@bench.test", i), schoolPassword); err != nil {
			return err
		}
		phone := peerTeacher(i)
		otp, err := askCode(ctx, s, phone)
		if err != nil {
			return err
		}
		status, out, err := s.Call(ctx, "", "POST", "/teacher/user-auth/verify-otp", map[string]string{"phone": phone, "otp": otp})
		token, ok := out["accessToken"].(string)
		if err != nil || !ok {
			return fmt.Errorf("verify-otp: %d %v %w", status, out, err)
		}
		p.teachers[i] = token
	}
	return nil
}

// startBare starts the bare server as a child process, on PostgreSQL with a cluster of
// its own, so that its CPU time is told apart.
func startBare(ctx context.Context, l *lab, t target, w *peerWorld) (*peer, error) {
	t.url = "sqlite:" + l.dir + "/bare.db"
	stop := func() {}
	if t.engine == "PostgreSQL" {
		pg, err := pgserver.Start(pgMemory)
		if err != nil {
			return nil, err
		}
		t.url, stop = pg.URL(), pg.Stop
	}
	p, err := w.serveBare(ctx, l, t)
	if err != nil {
		stop()
		return nil, err
	}
	kill := p.stop
	p.stop = func() { kill(); stop() }
	return p, nil
}

func (w *peerWorld) serveBare(ctx context.Context, l *lab, t target) (*peer, error) {
	if err := w.fillBare(ctx, t); err != nil {
		return nil, err
	}
	if err := l.analyze(ctx, t); err != nil {
		return nil, err
	}
	child, addr, err := startChild(ctx, "bare", t)
	if err != nil {
		return nil, err
	}
	p := &peer{name: "bare", addr: addr, id: bareID, world: w, stop: func() { _ = child.Process.Kill(); _ = child.Wait() }}
	for s := range peerSchools {
		p.admins[s], p.teachers[s] = bareToken(s), bareToken(s)
	}
	if p.cpu, err = cpuOf(ctx, t, child.Process.Pid); err != nil {
		p.stop()
	}
	return p, err
}

// startChild runs this program as a child process with a server, and returns its address.
func startChild(ctx context.Context, kind string, t target) (*exec.Cmd, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, self, kind, t.engine, t.url)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	line := make([]byte, 64) // the child prints only its address
	n, err := out.Read(line)
	return cmd, strings.TrimSpace(string(line[:n])), err
}
