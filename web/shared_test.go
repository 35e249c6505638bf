package webapp_test

import (
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/browsertest"
)

// phones are the demo's people with a phone, by role.
var phones = map[string]string{"teacher": classTeacher,
	"parent": "Parent of two, one in Grade 5 A +15550100002", "driver": "Driver of their bus +15550100003"}

// TestSharedPages opens every page that teachers, parents and drivers share, as each of them, and what their notifications are about.
func TestSharedPages(t *testing.T) {
	t.Parallel()
	eachDemo(t, func(d *demo) {
		d.Work(d.T)
		d.looks = map[string][]look{"light": {{390, "light"}}, "dark": {{320, "dark"}}}[d.looks[0].scheme]
		for role, button := range phones {
			d.finger = 44
			if role == "driver" {
				d.finger = 56
			}
			d.Looks(390, "light")
			d.Opens("/")
			d.Clicks("button", button)
			d.Finds("link", "Me")
			d.speaks(d.language)
			for _, path := range pagesOf(d.T, "src/pocket") {
				if !strings.Contains(path, "{id}") {
					d.visit(role+" "+path, path)
				}
			}
			for list, line := range map[string]string{"/app/messages": "a.thread-line", "/app/news": "main a.line[href^='/app/news/']"} {
				if first := d.firstLink(list, line); first != "" {
					d.visit(role+" "+list+"/{id}", first)
				}
			}
			if first := d.firstLink("/app/notifications", "a.notice-line"); first != "" {
				d.visit(role+" what the first notification is about", first)
			}
			d.goes("/app/me")
			d.Clicks("button", map[string]string{"en": "Sign out", "es": "Cerrar sesión"}[d.language])
			d.Finds("heading", map[string]string{"en": "Sign in", "es": "Iniciar sesión"}[d.language])
			d.js(`localStorage.removeItem("language")`) // the next person reads English
		}
		d.clean()
	})
}

// firstLink is the address of the first line of a list; empty if it has none.
func (d *demo) firstLink(list, line string) string {
	d.T.Helper()
	d.goes(list)
	d.settles()
	return d.js(`document.querySelector("` + line + `")?.getAttribute("href") ?? ""`)
}

// TestConversation: a parent writes without a network, the message arrives once, and the answer of the teacher appears by itself.
func TestConversation(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.Work(d.T)
		wire := d.wired()
		d.Looks(390, "light")
		d.Opens("/")
		d.Clicks("button", phones["parent"])
		d.Finds("heading", "For you to do")
		d.keeps()
		to := d.js(`[...document.querySelectorAll("a")].map((a) => a.getAttribute("href")).find((h) => h.startsWith("/app/child/"))`)
		d.goes(to)
		d.settles()
		d.goes(d.js(`document.querySelector("a[href^='/app/messages/new?to=']").getAttribute("href")`))
		d.Finds("button", "Somebody else")
		name := d.js(`document.querySelector("h1").textContent`)
		d.Fills("Message to "+name, "Is there homework?")
		d.Clicks("button", "Send")
		d.Finds("log", "Messages with "+name)
		thread := d.js(`location.pathname`)

		wire.Cut()
		d.Fills("Message to "+name, "One more thing")
		d.Clicks("button", "Send")
		d.In("log", "Messages with "+name).Sees("One more thing", "Not sent yet")
		d.Opens(thread) // the app starts again without a network
		d.Sees("One more thing", "Not sent yet")

		teacher := &demo{Service: d.Service, Person: browsertest.NewPerson(d.T, browsertest.New(d.T), d.Service.URL)}
		teacher.Looks(390, "light")
		teacher.Opens("/")
		teacher.Clicks("button", classTeacher)
		teacher.Finds("link", "Me")
		teacher.Opens(thread)
		teacher.Sees("Is there homework?")
		teacher.SeesNo("One more thing")
		wire.Mend(0)
		teacher.Sees("One more thing") // without loading the page again
		teacher.Fills("Message to "+teacher.js(`document.querySelector("h1").textContent`), "No, none today")
		teacher.Clicks("button", "Send")
		d.Sees("No, none today")
		d.SeesNo("Not sent yet")
		for _, p := range []*browsertest.Person{d.Person, teacher.Person} {
			apptest.Eq(d.T, "copies of the message", strings.Count(p.Text(), "One more thing"), 1)
		}
	})
}
