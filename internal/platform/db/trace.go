package db

import (
	"context"
	"regexp"
	"strings"

	"homeroom/internal/platform/trace"
)

var tableName = regexp.MustCompile(`(?i)\b(?:FROM|INTO|UPDATE)\s+(\w+)`)

// startSpan begins the span of a round trip. It has the text of the statements and never their
// arguments, which are personal. It returns nil if ctx is not traced.
func (d *DB) startSpan(ctx context.Context, w []*work) *trace.Span {
	_, span := trace.Start(ctx, trace.Client, "")
	if span == nil || len(w) == 0 {
		return nil
	}
	first := w[0].st.text
	name := strings.ToUpper(strings.TrimSpace(firstWord.FindString(first)))
	if table := tableName.FindStringSubmatch(first); table != nil {
		name += " " + table[1]
	}
	texts := []string{spaced(first)}
	for i, one := range w[1:] {
		if one.st.text != w[i].st.text { // the parts of a long INSERT are the same
			texts = append(texts, spaced(one.st.text))
		}
	}
	span.Rename(name)
	d.setSystem(span)
	span.Set("db.query.text", strings.Join(texts, "; "))
	if len(w) > 1 {
		span.SetInt("db.operation.batch.size", len(w))
	}
	return span
}

func (d *DB) setSystem(span *trace.Span) {
	system := d.engine.name()
	if d.pg() {
		system = "postgresql" // its name in OpenTelemetry
	}
	span.Set("db.system.name", system)
}

// spaced returns the text on one line.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// traced runs an attempt of a transaction in a span. A failure is in the span of its statement or
// COMMIT: an error of fn is a rule that refused something.
func (c *core) traced(ctx context.Context, sc scope, fn func(context.Context, *Tx) error) error {
	ctx, span := trace.Start(ctx, trace.Internal, "transaction")
	err := c.attempt(ctx, sc, fn)
	outcome := "committed"
	if err != nil {
		outcome = "rolled back"
	}
	span.Set("homeroom.transaction", outcome)
	span.End(nil)
	return err
}
