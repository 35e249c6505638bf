package webapp_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"homeroom/internal/apptest"
)

// TestBackKeepsForm: the browser's Back asks before it throws away what was typed.
func TestBackKeepsForm(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.js(`(window.asked = 0, window.confirm = () => { window.asked++; return false }, 0)`)
		d.goes("/app/announcements")
		d.goes("/app/announcements/new")
		d.Fills("Title", "Sports day")
		d.js(`(history.back(), 0)`)
		d.Until("be asked", func() bool { return d.js(`asked`) == "1" })
		d.Until("stay", func() bool { return d.js(`location.pathname`) == "/app/announcements/new" })
		if text := d.js(`[...document.querySelectorAll("main input")].map((e) => e.value).join("|")`); !strings.Contains(text, "Sports day") {
			d.T.Errorf("what was typed is gone: %s", text)
		}
		d.js(`(window.confirm = () => true, history.back(), 0)`)
		d.Finds("heading", "Announcements")
		d.Until("leave", func() bool { return d.js(`location.pathname`) == "/app/announcements" })
		d.js(`(history.forward(), 0)`)
		d.Finds("heading", "New announcement")
		d.clean()
	})
}

// TestTypedWhileSending: what is typed while a message is on its way stays for the next one.
func TestTypedWhileSending(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.signIn()
		d.goes("/app/messages")
		d.settles()
		d.js(`document.querySelector("a.thread").click()`)
		d.settles()
		d.Until("have the field", func() bool { return d.js(`document.querySelector("form.write textarea") !== null`) == "true" })
		d.js(`(document.querySelector("form.write textarea").focus(), 0)`)
		d.Presses("The first")
		wire.HoldAnswers()
		d.PressesCtrl(kb.Enter)
		d.Presses(" and the second")
		wire.Mend(0)
		d.Until("see it sent", func() bool {
			return strings.Contains(d.js(`document.querySelector(".said-list").textContent`), "The first")
		})
		d.Until("be ready", func() bool { return d.js(`document.querySelector("form.write [aria-busy=true]") === null`) == "true" })
		if text := d.js(`document.querySelector("form.write textarea").value`); !strings.Contains(text, "and the second") {
			d.T.Errorf("what was typed meanwhile is gone: %q", text)
		}
	})
}

// TestMarkedWhileSaving: what is marked while a register is saved stays to be saved.
func TestMarkedWhileSaving(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.signIn()
		ids := d.ids()
		d.goes("/app/attendance/" + ids["{classId}"] + "/" + ids["{divisionId}"])
		d.settles()
		d.js(`(document.querySelector("main tbody [data-mark]").focus(), 0)`)
		d.Presses("h")
		d.Sees("1 unsaved mark")
		wire.HoldAnswers()
		d.PressesCtrl("s")
		d.Presses(kb.ArrowDown, "h")
		d.Sees("2 unsaved marks")
		wire.Mend(0)
		d.Sees("1 mark is saved.")
		d.Until("be ready", func() bool { return d.js(`document.querySelector(".savebar [aria-busy=true]") === null`) == "true" })
		d.Sees("1 unsaved mark")
	})
}

// TestTypedWhileSavingMarks does the same with marks of an exam.
func TestTypedWhileSavingMarks(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.signIn()
		exam := d.first(d.login("admin@greenfield.test"), "/school-admin/exam/list?status=SCHEDULED", "id")
		d.goes("/app/exams/" + exam + "/marks")
		d.settles()
		d.Until("have the grid", func() bool { return d.js(`document.querySelector("input.cell") !== null`) == "true" })
		d.js(`(document.querySelector("input.cell").focus(), 0)`)
		d.Presses("5")
		d.Sees("1 unsaved mark")
		wire.HoldAnswers()
		d.PressesCtrl("s")
		d.Presses(kb.Enter, "7")
		d.Sees("2 unsaved marks")
		wire.Mend(0)
		d.Sees("1 mark is saved.")
		d.Until("be ready", func() bool { return d.js(`document.querySelector(".savebar [aria-busy=true]") === null`) == "true" })
		d.Sees("1 unsaved mark")
	})
}

// TestLeaveOfSomeoneElse: choosing another child keeps the days and the reason.
func TestLeaveOfSomeoneElse(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.goes("/app/leave")
		d.settles()
		d.Clicks("button", "Enter leave")
		pick := func() {
			d.Fills("For whom", "Tran")
			d.Until("choose a child", func() bool {
				d.js(`(document.querySelector(".foundpeople button")?.click(), 0)`)
				return d.js(`document.querySelector(".chosen") !== null`) == "true"
			})
		}
		pick()
		d.Fills("Reason optional", "A wedding in the family")
		d.Clicks("button", "Someone else")
		pick()
		if reason := d.js(`document.querySelector("dialog textarea").value`); reason != "A wedding in the family" {
			d.T.Errorf("the reason is %q", reason)
		}
	})
}

// TestSubmitOnce: Ctrl+Enter pressed twice saves once.
func TestSubmitOnce(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.signIn()
		d.goes("/app/classes/subjects")
		d.settles()
		d.Clicks("button", "New subject")
		d.Fills("Name", "Botany")
		d.js(`(window.sent = 0, window.asks = fetch, window.fetch = (at, o) => {
			if (o?.method === "POST" || at.method === "POST") sent++
			return asks(at, o) }, 0)`)
		wire.HoldAnswers()
		d.PressesCtrl(kb.Enter)
		d.PressesCtrl(kb.Enter)
		wire.Mend(0)
		d.Sees("Botany")
		if n := d.js(`sent`); n != "1" {
			d.T.Errorf("sent %s times", n)
		}
		d.clean()
	})
}

// writesNews opens a new announcement and types its title.
func (d *demo) writesNews() {
	d.T.Helper()
	d.goes("/app/announcements/new")
	d.Fills("Title", "Sports day")
	d.Until("count the people", func() bool {
		return strings.Contains(d.js(`document.querySelector("main form button[type=submit]").textContent`), "people")
	})
}

// sendsNewsOnce sends the announcement again: it is there once.
func (d *demo) sendsNewsOnce(admin *apptest.Account) {
	d.T.Helper()
	d.js(`document.querySelector("main form button[type=submit]").click()`)
	d.Until("leave the form", func() bool { return d.js(`location.pathname`) != "/app/announcements/new" })
	if n := d.count(admin, "/school-admin/announcement/list?search=Sports+day"); n != "1" {
		d.T.Errorf("there are %s announcements", n)
	}
}

// TestAnnouncedOnce: an announcement whose answer got lost is sent again as the same one.
func TestAnnouncedOnce(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.signIn()
		admin := d.login("admin@greenfield.test")
		d.writesNews()
		wire.LoseAnswers()
		d.js(`document.querySelector("main form button[type=submit]").click()`)
		d.Sees("What you typed is kept; try again.")
		wire.Mend(0)
		d.sendsNewsOnce(admin)
	})
}

// TestAdmittedOnce: so is an admission with a photo.
func TestAdmittedOnce(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.goes("/app/students/new")
		d.Fills("First name", "Bartholomea")
		d.Attaches("Photo optional", photo(d.T))
		d.js(`(window.asks = fetch, window.lost = 0, window.fetch = async (at, o) => {
			const answer = await asks(at, o)
			if (String(at.url ?? at).includes("/student/create") && !lost++) throw new TypeError("the answer got lost")
			return answer }, 0)`)
		d.Clicks("button", "Admit")
		d.Sees("What you typed is kept; try again.")
		d.Clicks("button", "Admit")
		d.Sees("Bartholomea is admitted as")
		if n := d.count(d.login("admin@greenfield.test"), "/school-admin/student/list?search=Bartholomea"); n != "1" {
			d.T.Errorf("there are %s students", n)
		}
	})
}

// TestPaidOnce: so is a payment whose answer a server in between has lost.
func TestPaidOnce(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		const receipts = "/school-admin/fee/collection/list"
		d.signIn()
		admin := d.login("admin@greenfield.test")
		before, _ := strconv.Atoi(d.count(admin, receipts))
		d.goes("/app/fees/counter?student=" + d.first(admin, "/school-admin/fee/report/dues", "studentId"))
		d.Finds("region", "Receipt")
		d.settles()
		d.Fills("Amount received", "25")
		d.js(`(window.asks = fetch, window.lost = 0, window.fetch = async (at, o) => {
			const answer = await asks(at, o)
			return String(at.url ?? at).includes("/collection/record") && !lost++ ? new Response("Bad gateway", { status: 502 }) : answer }, 0)`)
		d.Clicks("button", "Take without printing")
		d.Sees("Try again in a moment.")
		d.Clicks("button", "Take without printing")
		d.Finds("button", "Next family")
		if after := d.count(admin, receipts); after != strconv.Itoa(before+1) {
			d.T.Errorf("%d receipts have become %s", before, after)
		}
	})
}

// TestFilterOfClass: another class takes the division of the old one away.
func TestFilterOfClass(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		ids := d.ids()
		admin := d.login("admin@greenfield.test")
		var other string
		for _, c := range d.rows(admin, "/school-admin/class/list?sort=name") {
			if c["id"] != ids["{classId}"] {
				other, _ = c["name"].(string)
			}
		}
		d.goes("/app/students?classId=" + ids["{classId}"] + "&divisionId=" + ids["{divisionId}"])
		d.settles()
		d.Chooses("Class", other)
		d.settles()
		d.SeesNo("Nothing matches")
		if q := d.js(`location.search`); strings.Contains(q, "divisionId") {
			d.T.Errorf("the division stays: %s", q)
		}
	})
}

// TestLastPage: a page that has become empty shows the one before.
func TestLastPage(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.goes("/app/students?page=99")
		d.Until("see the last page", func() bool { return d.js(`document.querySelectorAll("main tbody tr").length > 0`) == "true" })
		d.SeesNo("No students yet")
	})
}
