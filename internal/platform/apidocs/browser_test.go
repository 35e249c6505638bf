package apidocs

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"homeroom/internal/platform/browsertest"
)

// One browser serves all cases; each has its own tab and service.
func TestPageInABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.New(t)
	cases := []struct {
		name string
		test func(*testing.T, context.Context)
	}{
		{"loads without a slip or a stranger", testLoads},
		{"one click signs in and calls carry the token", testOneClick},
		{"e-mail account, then signing out", testSignOut},
		{"roles and search", testFilters},
		{"a linked operation opens", testDeepLink},
		{"an ended token is renewed once", testRefresh},
		{"an ended sign-in is told", testRefreshRefused},
		{"keyboard alone, code by hand", testKeyboard},
		{"wrong password", testWrongPassword},
		{"light, dark, narrow", testLooks},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.test(t, browser) })
	}
}

func testLoads(t *testing.T, browser context.Context) {
	p := open(t, browser, true, "")
	p.says("count", "10 of 10")
	mark := p.unfold("attendance", "teacher-attendance-mark")
	p.until(`document.querySelector('` + mark + ` textarea').value.includes('"classId"')`)
	live := p.unfold("tracking", "bus-live") // a recursive schema
	p.until(`document.querySelector('` + live + `').textContent.includes('"name": "string"')`)
	if got := p.seen.Problems(); len(got) > 0 {
		t.Errorf("console: %q", got)
	}
	if got := p.seen.Abroad(p.api.url); len(got) > 0 {
		t.Errorf("requests to other origins: %q", got)
	}
	if len(p.seen.Requests()) < 7 {
		t.Errorf("requests seen: %q", p.seen.Requests())
	}
	// The Content-Security-Policy must block other origins.
	p.js(`fetch('http://127.0.0.2:9/').catch(() => {}) && 'asked'`)
	p.within(func() bool { return strings.Contains(strings.Join(p.seen.Problems(), ""), "Content Security Policy") })
}

func testOneClick(t *testing.T, browser context.Context) {
	p := open(t, browser, true, "")
	p.as("+15550100001")
	p.says("who", "Signed in as Teacher +15550100001")
	if got := p.js(`[...document.querySelectorAll('.account[aria-pressed=true]')].map((b) => b.title)`); got != "+15550100001" {
		t.Errorf("pressed account: %q", got)
	}
	if got := p.api.called("POST /teacher/user-auth/verify-otp"); len(got) != 1 || !strings.Contains(got[0].body, "123451") {
		t.Errorf("verify-otp: %+v", got)
	}
	if got := p.js(`document.getElementById('role').value`); got != "TEACHER" {
		t.Errorf("role filter: %q", got)
	}

	block := p.unfold("class", "teacher-class-list")
	if got := p.js(`document.querySelector('` + block + ` .authorization__btn svg').classList`); got != "locked" {
		t.Errorf("lock icon: %q", got)
	}
	p.execute(block)
	p.until(`document.querySelector('` + block + ` .live-responses-table').textContent.includes('Grade 4 by GET')`)
	calls := p.api.called("GET /teacher/class/list")
	if len(calls) != 1 || calls[0].bearer == "" || calls[0].bearer != p.token() {
		t.Errorf("calls: %+v", calls)
	}

	p.do(chromedp.Reload())
	p.loaded()
	p.says("who", "Signed in as Teacher +15550100001")
	if got := p.js(`localStorage.length + document.cookie.length`); got != "0" {
		t.Errorf("the page stores data outside of the tab: %s", got)
	}
	if got := p.seen.Problems(); len(got) > 0 {
		t.Errorf("console: %q", got)
	}
	if got := p.seen.Abroad(p.api.url); len(got) > 0 {
		t.Errorf("requests to other origins: %q", got)
	}
}

func testSignOut(t *testing.T, browser context.Context) {
	p := open(t, browser, true, "")
	p.as("admin@greenfield.test")
	token := p.token()
	block := p.unfold("student", "admin-student-delete")
	p.click("#sign-out")
	p.says("status", "Signed out.")
	p.within(func() bool { return len(p.api.called("POST /auth/logout")) == 1 })
	if got := p.api.called("POST /auth/logout")[0]; got.bearer != token || !strings.Contains(got.body, "refresh-1") {
		t.Errorf("logout: %+v", got)
	}
	if got := p.js(`sessionStorage.length`); got != "0" {
		t.Errorf("items in sessionStorage after signing out: %s", got)
	}
	if got := p.js(`document.querySelectorAll('.account[aria-pressed=true], #who:not([hidden]), #sign-in[hidden]').length`); got != "0" {
		t.Errorf("the page still looks signed in: %s", got)
	}
	p.do(chromedp.SendKeys(chromedp.CSS(block+" input"), "0197b0de-0000-7000-8000-000000000001"))
	p.execute(block)
	calls := p.api.called("DELETE /school-admin/student/0197b0de-0000-7000-8000-000000000001")
	if len(calls) != 1 || calls[0].bearer != "" {
		t.Errorf("calls after signing out: %+v", calls)
	}
}

func testFilters(t *testing.T, browser context.Context) {
	p := open(t, browser, false, "")
	all := 10
	cases := []struct{ role, find, want string }{
		{"PARENT", "", "POST /parent/student/list, GET /bus-tracking/bus/{busId}/live"},
		{"SCHOOL_ADMIN", "", "GET /school-admin/student/{id}, PUT /school-admin/student/{id}, " +
			"DELETE /school-admin/student/{id}, GET /bus-tracking/bus/{busId}/live"},
		{"SIGN_IN", "", "POST /auth/login, POST /teacher/user-auth/set-pin"},
		{"ALL", "student", "POST /parent/student/list, GET /school-admin/student/{id}, " +
			"PUT /school-admin/student/{id}, DELETE /school-admin/student/{id}"},
		{"ALL", "CHILDREN", "POST /parent/student/list"},
		{"ALL", "delete stud", "DELETE /school-admin/student/{id}"},
		{"TEACHER", "student", ""},
		{"TEACHER", "mark", "POST /teacher/attendance/mark"},
	}
	for _, c := range cases {
		p.js(fmt.Sprintf(`Object.assign(document.getElementById('find'), {value: %q}).dispatchEvent(new Event('input'))`, c.find))
		p.js(fmt.Sprintf(`Object.assign(document.getElementById('role'), {value: %q}).dispatchEvent(new Event('change'))`, c.role))
		want := 0
		if c.want != "" {
			want = strings.Count(c.want, ",") + 1
		}
		p.until(fmt.Sprintf(`document.getElementById('count').textContent === '%d of %d'`, want, all))
		p.within(func() bool { return p.shown(c.find == "") == c.want })
	}
	if got := p.seen.Problems(); len(got) > 0 {
		t.Errorf("console: %q", got)
	}
}

func testDeepLink(t *testing.T, browser context.Context) {
	p := open(t, browser, false, "#/school/super-school-list")
	p.do(chromedp.WaitVisible(chromedp.CSS("#operations-school-super-school-list .btn.execute")))
	if got := p.js(`document.querySelectorAll('.opblock.is-open').length`); got != "1" {
		t.Errorf("open operations: %s", got)
	}
}

func testRefresh(t *testing.T, browser context.Context) {
	p := open(t, browser, true, "")
	p.api.set(func() { p.api.lifetime = time.Second })
	p.as("+15550100001")
	old := p.token()
	mark, list := p.unfold("attendance", "teacher-attendance-mark"), p.unfold("class", "teacher-class-list")
	p.js(fmt.Sprintf(`document.querySelectorAll('%s .btn.execute, %s .btn.execute').forEach((b) => b.click())`, mark, list))
	p.within(func() bool {
		return len(p.api.called("POST /teacher/attendance/mark")) == 1 && len(p.api.called("GET /teacher/class/list")) == 1
	})
	refreshes := p.api.called("POST /auth/refresh")
	if len(refreshes) != 1 || !strings.Contains(refreshes[0].body, "refresh-1") {
		t.Errorf("refreshes: %+v", refreshes)
	}
	for _, line := range []string{"POST /teacher/attendance/mark", "GET /teacher/class/list"} {
		if got := p.api.called(line)[0].bearer; got == old || got != p.token() {
			t.Errorf("bearer of %s: %q", line, got)
		}
	}
	p.execute(list)
	if got := len(p.api.called("POST /auth/refresh")); got != 1 {
		t.Errorf("a valid token was refreshed: %d times", got)
	}
	p.says("who", "Signed in as Teacher +15550100001")
}

func testRefreshRefused(t *testing.T, browser context.Context) {
	p := open(t, browser, true, "")
	p.api.set(func() { p.api.lifetime, p.api.ended = time.Second, true })
	p.as("+15550100001")
	p.execute(p.unfold("class", "teacher-class-list"))
	p.says("status", "Your sign-in has ended. Sign in again.")
	if calls := p.api.called("GET /teacher/class/list"); len(calls) != 1 || calls[0].bearer != "" {
		t.Errorf("calls: %+v", calls)
	}
	if got := p.js(`document.getElementById('sign-in').hidden + ' ' + sessionStorage.length`); got != "false 0" {
		t.Errorf("still signed in: %s", got)
	}
}

func testKeyboard(t *testing.T, browser context.Context) {
	p := open(t, browser, false, "")
	p.press(kb.Tab)
	p.focus("a.skip")
	p.slash()
	p.focus("#find")
	p.slash()
	if got := p.js(`document.getElementById('find').value`); got != "/" {
		t.Errorf("search box after a slash: %q", got)
	}
	p.do(chromedp.Focus(chromedp.ID("sign-in")))
	p.press(kb.Enter)
	p.focus("#phone")
	p.press(kb.Escape)
	p.focus("#sign-in")
	p.press(kb.Enter)
	p.focus("#phone")
	p.press("+1 (555) 020-0002" + kb.Tab)
	p.press("P")
	p.until(`document.activeElement.selectedOptions[0].textContent.startsWith("P")`)
	p.press(kb.Tab + kb.Enter)
	p.says("dialog-status", "Code sent to +15550200002.")
	p.focus("#code")
	p.press("999999" + kb.Enter)
	p.says("dialog-status", "This code is not right. Look again or ask for a new one.")
	p.focus("#code")
	browsertest.Screenshot(t, p.tab, "dialog-error")
	p.js(`document.getElementById('code').select()`)
	p.press("123451" + kb.Enter)
	p.says("status", "Signed in as Parent +15550200002")
	p.focus("#sign-out")
	if got := p.api.called("POST /parent/user-auth/verify-otp"); len(got) != 2 {
		t.Errorf("verify-otp: %+v", got)
	}
	for _, r := range p.seen.Requests() {
		if strings.Contains(r, "/dev/outbox") {
			t.Error("the outbox was read outside of demo mode")
		}
	}
}

func testWrongPassword(t *testing.T, browser context.Context) {
	p := open(t, browser, false, "")
	p.click("#sign-in")
	p.click("[name=way][value=email]")
	p.do(chromedp.SendKeys(chromedp.ID("email"), "super@homeroom.test"), chromedp.SendKeys(chromedp.ID("password"), "wrong"+kb.Enter))
	p.says("dialog-status", "Wrong e-mail or password.")
	if got := p.js(`document.getElementById('dialog-status').classList.contains('bad') + ' ' + sessionStorage.length`); got != "true 0" {
		t.Errorf("page after a wrong password: %s", got)
	}
	p.js(`document.getElementById('password').select()`)
	p.press("homeroom-demo" + kb.Enter)
	p.says("status", "Signed in as Super admin super@homeroom.test")
}

// testLooks takes screenshots and checks contrast and width.
func testLooks(t *testing.T, browser context.Context) {
	p := open(t, browser, true, "")
	browsertest.Screenshot(t, p.tab, "light")
	p.as("+15550100001")
	mark := p.unfold("attendance", "teacher-attendance-mark")
	list := p.unfold("class", "teacher-class-list")
	p.execute(list)
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		for name, selector := range map[string]string{"top": "body", "body": mark, "answer": list} {
			p.js(`document.querySelector('` + selector + `').scrollIntoView()`)
			browsertest.Screenshot(t, p.tab, scheme+"-"+name)
		}
		if got := p.js(faint); got != "" {
			t.Errorf("%s: contrast too low:\n%s", scheme, got)
		}
	}
	p.do(chromedp.EmulateViewport(390, 844))
	for _, scheme := range []string{"light", "dark"} {
		p.scheme(scheme)
		for name, selector := range map[string]string{"top": "body", "body": mark, "answer": list} {
			p.js(`document.querySelector('` + selector + `').scrollIntoView()`)
			browsertest.Screenshot(t, p.tab, "narrow-"+scheme+"-"+name)
		}
	}
	if got := p.js(`document.documentElement.scrollWidth`); got != "390" {
		t.Errorf("page width on a 390 px screen: %s px", got)
	}
	p.click("#sign-out")
	p.click("#sign-in")
	browsertest.Screenshot(t, p.tab, "narrow-dialog")
}

// faint lists texts with a contrast below 4.5 to their background.
const faint = `(() => {
	const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
	const known = new Map();
	const draw = (c) => { // any notation, such as oklch
		pen.clearRect(0, 0, 1, 1);
		pen.fillStyle = c;
		pen.fillRect(0, 0, 1, 1);
		const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
		return [r, g, b, a / 255];
	};
	const rgb = (c) => known.get(c) ?? known.set(c, draw(c)).get(c);
	const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => {
			for (; e; e = e.parentElement) {
				const c = rgb(getComputedStyle(e).backgroundColor);
				if (c[3] > 0.5) return c;
			}
			return [255, 255, 255];
		};
	const bad = new Set();
	for (const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walk.nextNode();) {
		const e = walk.currentNode.parentElement;
		if (!walk.currentNode.textContent.trim() || e.closest('.unseen, script, noscript') ||
			!e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
		const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5) bad.add(ratio.toFixed(2) + ' ' + e.tagName + '.' + e.className + ' in .' + e.parentElement.className + ': ' +
			walk.currentNode.textContent.slice(0, 30));
	}
	return [...bad].join('\n');
})()`

func (p *page) scheme(name string) {
	p.t.Helper()
	_, err := chromedp.Call(p.tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.until(fmt.Sprintf(`document.documentElement.classList.contains('dark-mode') === %v`, name == "dark"))
	time.Sleep(500 * time.Millisecond) // Swagger UI's colours have transitions
}
