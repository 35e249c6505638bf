package app_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/browsertest"
)

// TestDocumentationInABrowser opens the page of the whole service in demo mode,
// signs in as each kind of account with one click and tries a call.
func TestDocumentationInABrowser(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "sqlite", func(c *app.Config) { c.Demo = true })
	s.Work(t)
	tab := browsertest.Tab(t, browsertest.New(t))
	seen := browsertest.Watch(t, tab)
	js := func(expression string) string {
		t.Helper()
		text, err := chromedp.Run(tab, chromedp.Evaluate[string](`String(`+expression+`)`))
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		return text
	}
	until := func(condition string) {
		t.Helper()
		if !await.Comes(func() bool { return js(condition) == "true" }) {
			t.Fatalf("never came: %s; the page says %q; console %q", condition, js(`document.getElementById('status').textContent`), seen.Problems())
		}
	}
	if err := chromedp.Do(tab, chromedp.Navigate(s.URL+"/api-docs")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ account, tag, operation, answer string }{
		{"+15550100001", "class", "listClassesAsTeacher", "Grade 5"},
		{"+15550100002", "student", "listStudentsAsParent", "firstName"},
		{"admin@greenfield.test", "student", "listStudents", "admissionNo"},
		{"super@homeroom.test", "setting", "listSchoolsAsSuperAdmin", "GREENFIELD"},
	} {
		until(`document.querySelector('.account[title="` + tt.account + `"]') !== null`)
		js(`document.querySelector('.account[title="` + tt.account + `"]').click()`)
		until(`document.querySelector('.account[aria-pressed=true]')?.title === '` + tt.account + `'`)
		block := `#operations-` + tt.tag + `-` + tt.operation
		until(`document.querySelector('#operations-tag-` + tt.tag + `') !== null`)
		js(`document.querySelector('#operations-tag-` + tt.tag + `[data-is-open=false] button')?.click()`)
		until(`document.querySelector('` + block + ` .opblock-summary-control') !== null`)
		js(`document.querySelector('` + block + ` .opblock-summary-control').click()`)
		until(`document.querySelector('` + block + ` .btn.execute') !== null &&
			!document.querySelector('` + block + ` .opblock-loading-animation')`)
		js(`document.querySelector('` + block + ` .btn.execute').click()`)
		until(`document.querySelector('` + block + ` .live-responses-table')?.textContent.includes('` + tt.answer + `') === true`)
	}
	browsertest.Screenshot(t, tab, "whole-service")
	if got := seen.Problems(); len(got) > 0 {
		t.Errorf("console: %q", got)
	}
	if got := seen.Abroad(s.URL); len(got) > 0 {
		t.Errorf("asked another origin: %s", strings.Join(got, ", "))
	}
}
