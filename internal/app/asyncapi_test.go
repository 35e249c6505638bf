package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"homeroom/internal/apptest"
)

// TestAsyncDocumentIsValid checks testdata/asyncapi.json against the schema of AsyncAPI
// itself, and its examples against their schemas.
func TestAsyncDocumentIsValid(t *testing.T) {
	t.Parallel()
	installValidator(t)
	read := func(path string) any {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	doc := read("testdata/asyncapi.json")
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	c.AssertFormat()
	for name, v := range map[string]any{"spec.json": read(validatorDir + "/node_modules/@asyncapi/specs/schemas/3.0.0-without-$id.json"),
		"doc.json": doc} {
		if err := c.AddResource(name, v); err != nil {
			t.Fatal(err)
		}
	}
	check := func(at string, v any) {
		schema, err := c.Compile(at)
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	check("spec.json", doc)
	checked, there, refs := 0, map[string]bool{}, map[string]bool{}
	walk("#", doc, func(at string, o map[string]any) {
		examples, _ := o["examples"].([]any)
		for _, e := range examples {
			checked++
			check("doc.json"+at, e)
		}
		there[at] = true
		if ref, ok := o["$ref"].(string); ok {
			refs[ref] = true
		}
	})
	for ref := range refs {
		if !there[ref] {
			t.Errorf("%s does not exist", ref)
		}
	}
	if checked == 0 {
		t.Error("no example was checked")
	}
}

// TestSocketsKnowOnlyTheirEvents wants a message of the document for each event that the
// sockets declare; they refuse to send or handle others.
func TestSocketsKnowOnlyTheirEvents(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "sqlite")
	raw, err := s.App.AsyncAPI("0")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Messages map[string]struct{ Name string }
		}
		Operations map[string]struct{ Action string }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	actions := map[string]string{}
	for name, o := range doc.Operations {
		event := doc.Components.Messages[strings.ToLower(strings.TrimPrefix(name, "send")[:1])+strings.TrimPrefix(name, "send")[1:]].Name
		actions[event] = o.Action
	}
	for event, want := range map[string]string{
		"authenticate": "receive", "join-bus-room": "receive", "leave-bus-room": "receive", "update-location": "receive",
		"bus-location": "send", "trip-status": "send", "boarding-status": "send", "incident-reported": "send", "room-left": "send",
		"incident-withdrawn": "send",
		"notification":       "send", "message": "send", "message-read": "send", "token-expiring": "send", "exception": "send",
	} {
		if actions[event] != want {
			t.Errorf("%s: action %q, want %q", event, actions[event], want)
		}
		delete(actions, event)
	}
	for event := range actions {
		t.Errorf("%s is in the document, but not in this test", event)
	}
}
