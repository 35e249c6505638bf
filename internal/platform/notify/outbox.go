package notify

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
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
)

//go:embed outbox.html
var outboxHTML string

//go:embed outbox.css
var outboxCSS string

const outboxLimit = 100

// Outbox serves the messages of all schools, including secret ones, without
// authentication, as HTML or JSON. It is for demo mode only.
func Outbox(n *Notifier) http.Handler {
	page := template.Must(template.New("outbox").Funcs(template.FuncMap{"name": channelName}).Parse(outboxHTML))
	hash := sha256.Sum256([]byte(outboxCSS))
	return &outbox{n, page, "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"}
}

type outbox struct {
	n    *Notifier
	page *template.Template
	csp  string
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
}

// ServeHTTP answers GET /dev/outbox?channel=sms&to=….
func (o *outbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writeError(w, http.StatusMethodNotAllowed, "The outbox can only be read: use GET.", nil)
		return
	}
	query := r.URL.Query()
	channel, to := Channel(query.Get("channel")), address(query.Get("to"))
	if channel != "" && !slices.Contains(Channels, channel) {
		writeError(w, http.StatusUnprocessableEntity, "Some fields are not right. See details.",
			[]fault.Field{{Field: "channel", Message: "must be sms, email or push"}})
		return
	}
	rows, err := o.n.newest(r.Context(), channel, to, outboxLimit)
	if err != nil {
		o.fail(w, r, err)
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
	return item{d.ID, d.Channel, d.ToAddr, opt.Text(d.Subject), opt.Text(m.Body), d.CreatedAt.UTC(), d.Status, m.Data}
}

// card is a message on the page.
type card struct {
	item
	Created string
	Shown   string
	Parts   []part
	Code    string // the first code in the text
	Data    map[string]string
}

// part is a part of a message's text. One of its fields is set.
type part struct{ Text, Code, Link string }

func (o *outbox) writePage(w http.ResponseWriter, r *http.Request, channel Channel, to string, items []item) {
	cards := make([]card, 0, len(items))
	for _, it := range items {
		c := card{item: it, Parts: split(string(it.Body)), Data: it.data,
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
	var buf bytes.Buffer
	err := o.page.Execute(&buf, map[string]any{
		"CSS": template.CSS(outboxCSS), "Channels": Channels, "Channel": channel, "To": to,
		"Refresh": refresh, "Cards": cards, "Full": len(cards) == outboxLimit,
	})
	if err != nil {
		o.fail(w, r, err)
		return
	}
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

func channelName(c Channel) string {
	switch c {
	case SMS:
		return "SMS"
	case Email:
		return "E-mail"
	default:
		return "Push"
	}
}

func (o *outbox) fail(w http.ResponseWriter, r *http.Request, err error) {
	o.n.Log.ErrorContext(r.Context(), "outbox failed", "error", err)
	if errors.Is(err, db.ErrUnavailable) {
		w.Header().Set("Retry-After", "1")
		writeError(w, http.StatusServiceUnavailable, "The service can't reach its database right now. Try again in a moment.", nil)
		return
	}
	writeError(w, http.StatusInternalServerError, "Something went wrong on our side. Try again.", nil)
}

func writeError(w http.ResponseWriter, status int, message string, details []fault.Field) {
	body := map[string]any{"statusCode": status, "message": message, "error": http.StatusText(status)}
	if details != nil {
		body["details"] = details
	}
	writeJSON(w, status, body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	raw, _ := json.Marshal(body) // plain records can't fail
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(clock.Millis(raw)) // fails only if the client disconnected
}
