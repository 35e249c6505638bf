package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/db/dbtest/pgserver"
)

const (
	poolerChanges = 200 // of each kind
	poolerLimit   = time.Second
)

// pooler changes rights on one node behind PgBouncer and measures when another node obeys.
// Then it compares the speed of a list with and without PgBouncer.
func pooler(ctx context.Context, l *lab) error {
	fmt.Printf("PgBouncer keeps prepared statements: %t\n\n", pgserver.KeepsStatements())
	fmt.Println("| Mode | Change | Times | p50 | p99 | Longest | Over 1 s |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|")
	for _, mode := range []string{"session", "transaction"} {
		if err := obeyed(ctx, l, mode); err != nil {
			return fmt.Errorf("%s mode: %w", mode, err)
		}
	}
	fmt.Println("\n| A list of 20 | Requests/s | p50 | p99 |\n|---|---:|---:|---:|")
	for _, mode := range []string{"", "session", "transaction"} {
		if err := pooledList(ctx, l, mode); err != nil {
			return err
		}
	}
	return nil
}

// behind starts a PgBouncer in front of a new database.
func (l *lab) behind(ctx context.Context, name, mode string) (through, direct target, stop func(), err error) {
	direct, err = l.emptyDatabase(ctx, l.targets[1], name)
	if err != nil || mode == "" {
		return direct, direct, func() {}, err
	}
	p, err := pgserver.Pool(direct.url, mode, 40)
	if err != nil {
		return direct, direct, nil, err
	}
	return target{direct.engine, p.URL(direct.url)}, direct, p.Stop, nil
}

// signals are the flags of a node behind a pooler.
func signals(mode string, direct target) []string {
	if mode == "transaction" {
		return []string{"--database-signal-url", direct.url}
	}
	return nil
}

func pooledList(ctx context.Context, l *lab, mode string) error {
	t, direct, stop, err := l.behind(ctx, "list_"+mode, mode)
	if err != nil {
		return err
	}
	defer stop()
	one, err := listOn(ctx, l, t, signals(mode, direct)...)
	if err != nil {
		return err
	}
	name := "without PgBouncer"
	if mode != "" {
		name = mode + " mode"
	}
	fmt.Printf("| %s | %.0f | %s | %s |\n", name, one.perSecond, short(one.p50), short(one.p99))
	return nil
}

// twoNodes are two nodes of one installation: rights change on one, and are used on the other.
type twoNodes struct {
	here, there    *process.Server
	admin, super   string // tokens
	school, role   string // ids
	module, person string
	watcher        string // token of the teacher whose permission is taken
}

func obeyed(ctx context.Context, l *lab, mode string) error {
	t, direct, stop, err := l.behind(ctx, "obeyed_"+mode, mode)
	if err != nil {
		return err
	}
	defer stop()
	p := &twoNodes{}
	for i, node := range []**process.Server{&p.here, &p.there} {
		data := fmt.Sprintf("%s/%s-%d", l.dir, mode, i)
		args := append(signals(mode, direct), "--demo", "--data", data, "--database-url", t.url, "--keys", nodeKeys)
		if *node, err = process.Serve(ctx, l.bin, args...); err != nil {
			return err
		}
		defer (*node).Kill()
	}
	if err := p.find(ctx); err != nil {
		return err
	}
	for _, kind := range []struct {
		name string
		run  func(context.Context, int) (time.Duration, error)
	}{{"sign-out", p.signOut}, {"permission taken and given", p.permission}, {"account disabled", p.account},
		{"school suspended and resumed", p.suspend}, {"setting changed", p.setting}} {
		times := make([]time.Duration, poolerChanges)
		late := 0
		for i := range times {
			if times[i], err = kind.run(ctx, i); err != nil {
				return fmt.Errorf("%s: %w", kind.name, err)
			}
			if times[i] > poolerLimit {
				late++
			}
		}
		slices.Sort(times)
		fmt.Printf("| %s | %s | %d | %s | %s | %s | %d |\n", mode, kind.name, len(times), short(times[len(times)/2]),
			short(times[len(times)*99/100]), short(times[len(times)-1]), late)
	}
	return nil
}

// until measures how long the other node takes to answer as wanted, after the change.
func (p *twoNodes) until(ctx context.Context, token, path string, want func(status int, out map[string]any) bool) (time.Duration, error) {
	for start := time.Now(); ; {
		status, out, err := p.there.Call(ctx, token, "GET", path, nil)
		took := time.Since(start)
		if err != nil || want(status, out) {
			return took, err
		}
		if took > 10*time.Second {
			return took, fmt.Errorf("%s is still %d after %s: %v", path, status, took, out)
		}
	}
}

func is(want int) func(int, map[string]any) bool {
	return func(status int, _ map[string]any) bool { return status == want }
}

// change calls the first node.
func (p *twoNodes) change(ctx context.Context, token, method, path string, data map[string]any) error {
	status, out, err := p.here.Call(ctx, token, method, path, map[string]any{"data": data})
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("%s %s: %d %v", method, path, status, out)
	}
	return err
}

// teacher signs the demo's teacher in on the first node and uses the token on the second,
// which then knows it.
func (p *twoNodes) teacher(ctx context.Context) (string, error) {
	otp, err := askCode(ctx, p.here, teacherPhone)
	if err != nil {
		return "", err
	}
	_, out, err := p.here.Call(ctx, "", "POST", "/teacher/user-auth/verify-otp", map[string]string{"phone": teacherPhone, "otp": otp})
	if err != nil {
		return "", err
	}
	token := fmt.Sprint(out["accessToken"])
	_, err = p.until(ctx, token, "/auth/me", is(http.StatusOK))
	return token, err
}

func (p *twoNodes) signOut(ctx context.Context, _ int) (time.Duration, error) {
	token, err := p.teacher(ctx)
	if err == nil {
		_, _, err = p.here.Call(ctx, token, "POST", "/auth/logout", map[string]any{})
	}
	if err != nil {
		return 0, err
	}
	return p.until(ctx, token, "/auth/me", is(http.StatusUnauthorized))
}

// permission takes the teachers' permission to read announcements, and gives it back.
func (p *twoNodes) permission(ctx context.Context, i int) (time.Duration, error) {
	var err error
	if p.watcher == "" {
		if p.watcher, err = p.teacher(ctx); err != nil {
			return 0, err
		}
	}
	may, status := i%2 == 1, http.StatusOK
	if !may {
		status = http.StatusForbidden
	}
	err = p.change(ctx, p.admin, "PUT", "/school-admin/role/"+p.role+"/permissions", map[string]any{"permissions": []any{
		map[string]any{"moduleId": p.module, "canRead": may, "canWrite": may}}})
	if err != nil {
		return 0, err
	}
	return p.until(ctx, p.watcher, "/teacher/announcement/list", is(status))
}

// account disables that of the teacher, who signs in again for the next time.
func (p *twoNodes) account(ctx context.Context, _ int) (time.Duration, error) {
	token, err := p.teacher(ctx)
	status := func(to string) error {
		return p.change(ctx, p.admin, "PUT", "/school-admin/employee/"+p.person, map[string]any{"status": to})
	}
	if err == nil {
		err = status("RESIGNED")
	}
	if err != nil {
		return 0, err
	}
	took, err := p.until(ctx, token, "/auth/me", is(http.StatusUnauthorized))
	if err == nil {
		err = status("ACTIVE")
	}
	return took, err
}

// suspend suspends the school, and resumes it.
func (p *twoNodes) suspend(ctx context.Context, i int) (time.Duration, error) {
	order, want := "suspend", func(status int, _ map[string]any) bool { return status/100 == 4 }
	if i%2 == 1 {
		order, want = "resume", is(http.StatusOK)
	}
	if err := p.change(ctx, p.super, "POST", "/super-admin/school/"+p.school+"/"+order, map[string]any{}); err != nil {
		return 0, err
	}
	return p.until(ctx, p.admin, "/school-admin/setting", want)
}

func (p *twoNodes) setting(ctx context.Context, i int) (time.Duration, error) {
	name := fmt.Sprint("Greenfield ", i)
	if err := p.change(ctx, p.admin, "PUT", "/school-admin/setting", map[string]any{"name": name}); err != nil {
		return 0, err
	}
	return p.until(ctx, p.admin, "/school-admin/setting", func(_ int, out map[string]any) bool {
		data, _ := out["data"].(map[string]any)
		return data["name"] == name
	})
}

// find signs the administrators in and reads the ids.
func (p *twoNodes) find(ctx context.Context) (err error) {
	if p.admin, err = p.here.Login(ctx, "admin@greenfield.test", "homeroom-demo"); err != nil {
		return err
	}
	if p.super, err = p.here.Login(ctx, "super@homeroom.test", "homeroom-demo"); err != nil {
		return err
	}
	_, out, err := p.here.Call(ctx, p.admin, "GET", "/school-admin/setting", nil)
	if err != nil {
		return err
	}
	data, _ := out["data"].(map[string]any)
	p.school = fmt.Sprint(data["id"])
	teacher := func(row map[string]any) bool { return row["type"] == "TEACHER" }
	if p.role, err = p.row(ctx, "/school-admin/role/list?limit=100", "id", teacher); err != nil {
		return err
	}
	news := func(row map[string]any) bool { return row["module"] == "announcement" }
	if p.module, err = p.row(ctx, "/school-admin/role/"+p.role+"/permissions", "moduleId", news); err != nil {
		return err
	}
	ours := func(row map[string]any) bool { return row["phone"] == teacherPhone }
	p.person, err = p.row(ctx, "/school-admin/employee/list?limit=100", "id", ours)
	return err
}

// row returns a field of the first row of a list that matches.
func (p *twoNodes) row(ctx context.Context, path, field string, match func(map[string]any) bool) (string, error) {
	status, out, err := p.here.Call(ctx, p.admin, "GET", path, nil)
	if err != nil {
		return "", err
	}
	data, _ := out["data"].(map[string]any)
	for _, rows := range data {
		list, _ := rows.([]any)
		for _, one := range list {
			if row, ok := one.(map[string]any); ok && match(row) {
				return fmt.Sprint(row[field]), nil
			}
		}
	}
	return "", fmt.Errorf("nothing in %s: %d %v", path, status, out)
}
