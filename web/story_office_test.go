package webapp_test

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp/kb"

	"homeroom/internal/apptest"
)

var officeStories = []story{
	{"library loan and return", lendAndTakeBack},
	{"announcement", announce},
	{"message", writeMessage},
	{"bus route with riders", drawRoute},
	{"incident seen", seeIncident},
	{"incident withdrawn", withdrawIncident},
}

// lendAndTakeBack works as with a scanner, which types a number and Enter.
func lendAndTakeBack(o *office) {
	home := o.newClass("Readers")
	reader := o.student("Lena Reader", home, "")
	number := o.get("student/" + reader).Text("admissionNo")
	o.at("/app/library/books", "Catalogue")
	o.Clicks("button", "Add a book")
	o.Fills("Title", "The Owl Who Counted")
	o.Fills("Numbers on the labels optional", "OWL-1")
	o.Clicks("button", "Add the book")
	o.Finds("heading", "The Owl Who Counted")
	o.at("/app/library", "Library counter")
	scan := func(field, code string) { o.Fills(field, code); o.Presses(kb.Enter) }
	scan("Number or name of the member", number)
	o.Finds("link", "Lena Reader")
	scan("Number of the book, or of the next member", "OWL-1")
	o.Sees("The Owl Who Counted is lent to Lena Reader.", "1 of ")
	loans := func() string {
		return fmt.Sprint(o.get("library/loan/list?studentId=" + reader).Texts("status"))
	}
	o.eq("loans", loans(), "[ISSUED]")
	o.In("group", "What happens").Clicks("button", "Take back")
	scan("Number of the book", "OWL-1")
	o.Sees("The Owl Who Counted is back from Lena Reader.")
	o.eq("loans after the return", loans(), "[RETURNED]")
	scan("Number of the book", "OWL-404")
	o.refused = []string{"/library/loan/return"}
	o.Sees("not done")
}

func announce(o *office) {
	home := o.newClass("Told")
	o.student("Tess Told", home, "+15559400001")
	o.at("/app/announcements/new", "New announcement")
	o.Chooses("For whom", "Classes: their parents and teachers")
	o.Clicks("checkbox", "Told")
	o.Fills("Title", "Swimming on Friday")
	o.Fills("Text optional", "Bring a towel.")
	o.Clicks("button", "Send to 1 person")
	o.Finds("heading", "Swimming on Friday")
	o.Sees("Nobody has been told yet.")
	made := o.find("announcement/list", "Swimming on Friday")
	o.eq("announcements", len(made), "1")
	o.eq("audience", fmt.Sprint(made[0]["audience"], made[0]["classIds"]), "CLASS["+home.id+"]")
	o.eq("state", made[0]["status"], "SCHEDULED")
	o.undo("It goes out in 30 seconds.")
	o.eq("announcements after calling it back", len(o.find("announcement/list", "Swimming on Friday")), "0")
}

func writeMessage(o *office) {
	home := o.newClass("Written")
	id := o.student("Mia Mail", home, "+15559410001")
	o.at("/app/students/"+id, "Mia Mail")
	o.Clicks("link", "Write")
	o.Finds("heading", "New message")
	o.Fills("Message", "Mia forgot her coat.")
	o.Clicks("button", "Send to 1 person")
	o.Finds("log", "Messages with Parent Mail")
	o.Sees("Mia forgot her coat.", "not yet read")
	threads := o.find("message/threads", "Mail")
	o.eq("conversations", len(threads), "1")
	o.eq("about", threads[0]["studentName"], "Mia Mail")
	o.Fills("Message to Parent Mail", "It is in the office.")
	o.Clicks("button", "Send")
	o.Sees("It is in the office.")
	said := o.get("message/thread/" + threads[0].Text("id")).Texts("body")
	o.eq("messages, the latest first", said, "[It is in the office. Mia forgot her coat.]")
}

func drawRoute(o *office) {
	home := o.newClass("Riders")
	rider := o.student("Rosa Rider", home, "")
	o.at("/app/transport/routes", "Routes")
	o.Clicks("link", "Draw a route")
	o.Finds("heading", "New route")
	o.Fills("Name of the route", "River loop")
	for i, name := range []string{"Ferry", "Weir"} {
		o.Clicks("button", "Add a stop")
		o.Fills(fmt.Sprintf("Name of stop %d", i+1), name)
		o.Fills(fmt.Sprintf("Morning of stop %d", i+1), fmt.Sprintf("07:%d0", i+1))
	}
	o.Clicks("button", "Draw the route")
	o.Finds("heading", "River loop")
	o.Fills("Add a child by name or admission no.", "Rosa Rider")
	o.Clicks("button", "Rosa Rider Riders A")
	o.Chooses("Stop of Rosa Rider", "Weir")
	o.Clicks("checkbox", "Rosa Rider rides home")
	o.Clicks("button", "Save 1 rider")
	o.Sees("1 rider is saved.")
	route := o.find("transport/route/list", "River loop")[0]
	o.eq("stops", strings.Join(apptest.Pick(route["stops"], "name"), " "), "Ferry Weir")
	riders := o.get("transport/route/" + route.Text("id") + "/students").Items()
	o.eq("riders", len(riders), "1")
	o.eq("rider", riders[0].Text("studentId"), rider)
	o.eq("ride", fmt.Sprint(riders[0]["stopName"], " ", riders[0]["pickup"], riders[0]["dropoff"]), "Weir true false")
}

// seeIncident acknowledges the traffic jam that the demo's driver reports.
func seeIncident(o *office) {
	incident := o.get("transport/incident/list?acknowledged=false").Items()[0]
	o.at("/app/transport/incidents?acknowledged=false", "Incidents")
	o.Clicks("button", "Traffic jam")
	o.Fills("Note optional", "Parents know")
	o.In("dialog", "").Clicks("button", "I have seen it")
	o.Finds("heading", "Nothing matches")
	for _, i := range o.get("transport/incident/list").Items() {
		if i.Text("id") == incident.Text("id") {
			o.eq("seen by", fmt.Sprint(i["acknowledgedByName"], ": ", i["acknowledgeNote"]), "Grace Whitfield: Parents know")
		}
	}
	o.eq("waiting", o.get("transport/incident/list?acknowledged=false")["total"], "0")
}

func withdrawIncident(o *office) {
	o.at("/app/transport/incidents", "Incidents")
	o.Clicks("button", "Traffic jam")
	o.Clicks("button", "Reported by mistake")
	o.Fills("Reason optional", "The road is free")
	o.In("dialog", "").Clicks("button", "Withdraw")
	o.Sees("Withdrawn. Everyone who was told of it knows.")
	withdrawn := o.get("transport/incident/list").Items()[0]
	o.eq("withdrawn by", fmt.Sprint(withdrawn["withdrawnByName"], ": ", withdrawn["withdrawReason"]), "Grace Whitfield: The road is free")
}
