package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/web"
)

// leftOut are the properties that a reply may lack, with the reason. All others are null
// if they are missing.
var leftOut = map[string]string{
	"accessToken":   "a sign-in with a second factor has no tokens yet",
	"refreshToken":  "a browser has it as a cookie",
	"user":          "a sign-in with a second factor has no user yet",
	"user.name":     "part of administrators' accounts only",
	"user.email":    "part of administrators' accounts only",
	"accounts":      "part of a session that a code opened",
	"secondFactor":  "part of a sign-in with a second factor",
	"recoveryCodes": "shown once",
	"override":      "part of a lesson that is changed on that day",
	"author":        "administrators only",
}

// TestRepliesAreWhole checks that each property of each reply is always there.
func TestRepliesAreWhole(t *testing.T) {
	t.Parallel()
	s, seen := apptest.Start(t, "sqlite"), map[string]bool{}
	for _, rt := range s.Routes() {
		if rt.Reply == nil || rt.Standard != nil { // standards leave out what is missing
			continue
		}
		each(rt.Reply, "", func(path string, f web.Field) {
			name := f.Name
			if leftOut[path] != "" {
				name = path
			}
			if seen[name] = true; !f.Always && leftOut[name] == "" {
				t.Errorf("%s leaves %s out: make it null (opt.Text, or a pointer without omitempty)", rt.Pattern(), path)
			}
		})
	}
	for name := range leftOut {
		if !seen[name] {
			t.Errorf("no reply has %s", name)
		}
	}
}

// each calls fn for all properties of a schema, with their paths.
func each(of *web.Schema, at string, fn func(path string, f web.Field)) {
	if of.Elem != nil {
		each(of.Elem, at, fn)
	}
	for _, f := range of.Fields {
		fn(at+f.Name, f)
		each(f.Schema, at+f.Name+".", fn)
	}
}
