package notify

import (
	"bytes"
	_ "embed" // the page
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
	"homeroom/web/style"
)

//go:embed outbox.html
var outboxHTML string

const outboxLimit = 100

// mailPolicy is the Content-Security-Policy of an e-mail: its own styles, nothing else.
const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"

var (
	errOutboxRead    = fault.New(fault.NotAllowed, "", "The outbox can only be read: use GET.")
	errOutboxChannel = fault.OnField("channel", "must be sms, email or push")
)

// Outbox serves the messages of all schools, including secret ones, without
// authentication, as HTML or JSON. It is for demo mode only.
func Outbox(n *Notifier) http.Handler {
	none := func(string, ...any) string { return "" } // replaced by the request's language
	page := template.Must(template.New("outbox").Funcs(template.FuncMap{"say": none}).Parse(outboxHTML))
	sheet := style.Sheet("tokens", "base", "controls", "parts", "plain", "outbox")
	return &outbox{n, page, sheet, "default-src 'none'; style-src " + style.Source(sheet) +
		"; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"}
}

type outbox struct {
	n     *Notifier
	page  *template.Template
	sheet string
	csp   string
}

// item is a message in the JSON reply.
type item struct {
	ID        id.ID     `json:"id"`
	Channel   Channel   `json:"channel"`
	To        string    `json:"to"`
	Subject   opt.Text  `json:"subject"`
	Body      opt.Text  `json:"body"`
	CreatedAt time.Time `json:"createdAt"`
	Status    Status    `json:"status"`

	data map[string]string
	html bool
}

// ServeHTTP answers GET /dev/outbox?channel=sms&to=….
func (o *outbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		web.Refuse(w, r, errOutboxRead)
		return
	}
	query := r.URL.Query()
	channel, to := Channel(query.Get("channel")), address(query.Get("to"))
	if channel != "" && !slices.Contains(Channels, channel) {
		web.Refuse(w, r, errOutboxChannel)
		return
	}
	if mail := query.Get("mail"); mail != "" {
		o.writeMail(w, r, mail)
		return
	}
	rows, err := o.n.newest(r.Context(), channel, to, outboxLimit)
	if err != nil {
		web.Fail(w, r, o.n.Log, err)
		return
	}
	items := make([]item, 0, len(rows))
	for _, d := range rows {
		items = append(items, o.item(d))
	}
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		o.writePage(w, r, channel, to, items)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": map[string]any{"items": items}, "message": "Newest first."})
}

func (o *outbox) item(d delivery) item {
	m, err := o.n.message(d)
	if err != nil {
		m.Body = "This was a secret message. Its text was deleted."
		if !errors.Is(err, errForgotten) {
			m.Body = "This secret message was encrypted with a key that the service no longer has."
		}
	}
	return item{d.ID, d.Channel, d.ToAddr, opt.Text(d.Subject), opt.Text(m.Body), d.CreatedAt.UTC(), d.Status, m.Data, m.HTML != ""}
}

// card is a message on the page.
type card struct {
	item
	Created string
	Shown   string
	Parts   []part
	Code    string // the first code in the text
	Data    map[string]string
	Mail    bool // can be shown as an e-mail program does
}

// part is a part of a message's text. One of its fields is set.
type part struct{ Text, Code, Link string }

func (o *outbox) writePage(w http.ResponseWriter, r *http.Request, channel Channel, to string, items []item) {
	cards := make([]card, 0, len(items))
	for _, it := range items {
		c := card{item: it, Parts: split(string(it.Body)), Data: it.data, Mail: it.html,
			Created: it.CreatedAt.Format(time.RFC3339), Shown: it.CreatedAt.Format("2 Jan 2006, 15:04:05 UTC")}
		if i := slices.IndexFunc(c.Parts, func(p part) bool { return p.Code != "" }); i >= 0 {
			c.Code = c.Parts[i].Code
		}
		cards = append(cards, c)
	}
	refresh := ""
	if r.URL.Query().Get("refresh") != "" {
		refresh = "5"
	}
	page, err := o.page.Clone()
	if err != nil {
		web.Fail(w, r, o.n.Log, err)
		return
	}
	lang := web.Language(r)
	page.Funcs(template.FuncMap{"say": func(key string, args ...any) string {
		return text.Standard().Say(lang, text.T("outbox."+key, args...))
	}})
	var buf bytes.Buffer
	err = page.Execute(&buf, map[string]any{
		"Lang": lang, "CSS": template.CSS(o.sheet), "Channels": Channels, "Channel": channel, "To": to,
		"Refresh": refresh, "Cards": cards, "Full": len(cards) == outboxLimit,
	})
	if err != nil {
		web.Fail(w, r, o.n.Log, err)
		return
	}
	w.Header().Set("Content-Language", lang)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", o.csp)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(buf.Bytes()) // fails only if the client disconnected
}

var marks = regexp.MustCompile(`https?://[^\s<>"]+|\b[0-9]{4,8}\b`)

// split splits a text into links, codes and other text.
func split(body string) []part {
	var parts []part
	at := 0
	for _, m := range marks.FindAllStringIndex(body, -1) {
		if m[0] > at {
			parts = append(parts, part{Text: body[at:m[0]]})
		}
		found := body[m[0]:m[1]]
		if strings.HasPrefix(found, "http") {
			found = strings.TrimRight(found, ".,;:!?)")
			parts = append(parts, part{Link: found})
		} else {
			parts = append(parts, part{Code: found})
		}
		at = m[0] + len(found)
	}
	if at < len(body) {
		parts = append(parts, part{Text: body[at:]})
	}
	return parts
}

var bareNumber = regexp.MustCompile(`^[0-9]{7,15}$`)

// address normalizes a recipient for comparison: lower case; a phone number without
// spaces and dashes, and with the + that a query string decodes as a space.
func address(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	phone := compactPhone(s)
	if bareNumber.MatchString(phone) {
		return "+" + phone
	}
	if strings.HasPrefix(phone, "+") {
		return phone
	}
	return s
}

// writeMail writes the HTML of an e-mail, to be shown inside the page.
func (o *outbox) writeMail(w http.ResponseWriter, r *http.Request, wanted string) {
	at, err := id.Parse(wanted)
	if err != nil {
		web.NoPath(w, r)
		return
	}
	d, err := o.n.one(r.Context(), at)
	var m Message
	if err == nil {
		m, err = o.n.message(d)
	}
	switch {
	case errors.Is(err, db.ErrNotFound), errors.Is(err, errForgotten), err == nil && m.HTML == "":
		web.NoPath(w, r)
		return
	case err != nil:
		web.Fail(w, r, o.n.Log, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", mailPolicy)
	w.Header().Set("X-Frame-Options", "SAMEORIGIN")
	_, _ = w.Write([]byte(m.HTML)) // fails only if the client disconnected
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	raw, _ := json.Marshal(body) // plain records can't fail
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(clock.Millis(raw)) // fails only if the client disconnected
}
