package peopletest

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
)

// Send posts a file as the request body. Headers are name, value pairs.
func (w *World) Send(token, path, contentType, body string, headers ...string) Answer {
	w.Helper()
	return w.file(token, "POST", path, contentType, body, headers...)
}

// Fetch downloads a file; Text is its content.
func (w *World) Fetch(token, path string) Answer {
	w.Helper()
	return w.file(token, "GET", path, "", "")
}

func (w *World) file(token, method, path, contentType, body string, headers ...string) Answer {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.server.ServeHTTP(rec, r)
	a := Answer{w: w, call: method + " " + path, Status: rec.Code, Text: rec.Body.String()}
	if strings.HasPrefix(rec.Header().Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
			w.Fatalf("%s: %v: %s", a.call, err, a.Text)
		}
	}
	return a
}
