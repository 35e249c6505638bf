package oneroster_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

const (
	keysAt  = "/school-admin/oneroster/keys"
	tokenAt = "/ims/oneroster/token"
	restAt  = "/ims/oneroster/rostering/v1p2/"
	form    = "application/x-www-form-urlencoded"
)

// key is a key of another system.
type key struct{ id, client, secret string }

func (w *world) key(who *apptest.Account) key {
	w.Helper()
	o := w.As(who, "POST", keysAt, m{"name": "Moodle"}).OK()
	return key{o.Text("id"), o.Text("clientId"), o.Text("clientSecret")}
}

func basic(client, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(client+":"+secret))
}

// ask asks for a token.
func (w *world) ask(authorization, body string) apptest.Reply {
	w.Helper()
	return w.As(nil, "POST", tokenAt, body, "Content-Type", form, "Authorization", authorization)
}

// token returns the Authorization header of a system that has a key.
func (w *world) token(k key) string {
	w.Helper()
	r := w.ask(basic(k.client, k.secret), "grant_type=client_credentials")
	var out struct{ Access_token string }
	if err := json.Unmarshal(r.Body, &out); err != nil || r.Status != 200 || out.Access_token == "" {
		w.Fatalf("token: %d %s", r.Status, r.Body)
	}
	return "Bearer " + out.Access_token
}

func (w *world) get(authorization, path string) apptest.Reply {
	w.Helper()
	return w.As(nil, "GET", restAt+path, nil, "Authorization", authorization)
}

// refused checks an error of the token endpoint.
func refused(t *testing.T, what string, r apptest.Reply, status int, code string) {
	t.Helper()
	var e struct{ Error string }
	if err := json.Unmarshal(r.Body, &e); err != nil || r.Status != status || e.Error != code {
		t.Errorf("%s: %d %s, want %d %s", what, r.Status, r.Body, status, code)
	}
}

// TestToken: the client credentials of RFC 6749, by HTTP Basic or in the form.
func TestToken(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		k := w.key(w.North.Admin)
		r := w.ask(basic(k.client, k.secret), "grant_type=client_credentials")
		var out struct {
			AccessToken string `json:"access_token"`
			TokenType   string `json:"token_type"`
			ExpiresIn   int    `json:"expires_in"`
			Scope       string
		}
		if err := json.Unmarshal(r.Body, &out); err != nil || out.TokenType != "Bearer" || out.ExpiresIn != 3600 ||
			!strings.HasSuffix(strings.Fields(out.Scope)[0], "/scope/roster.readonly") || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("got %d %s %v", r.Status, r.Body, r.Header)
		}
		apptest.Eq(t, "with the token", w.get("Bearer "+out.AccessToken, "orgs").Status, 200)
		in := url.Values{"grant_type": {"client_credentials"}, "client_id": {k.client}, "client_secret": {k.secret},
			"scope": {"https://purl.imsglobal.org/spec/or/v1p2/scope/roster-core.readonly https://example.org/other"}}
		r = w.ask("", in.Encode())
		if r.Status != 200 || !strings.Contains(string(r.Body), `"scope":"https://purl.imsglobal.org/spec/or/v1p2/scope/roster-core.readonly"`) {
			t.Errorf("in the form: %d %s", r.Status, r.Body)
		}
		good, grant := basic(k.client, k.secret), "grant_type=client_credentials"
		far := w.key(w.South.Admin)
		for _, c := range []struct {
			what, authorization, body string
			status                    int
			code                      string
		}{
			{"wrong secret", basic(k.client, k.secret+"x"), grant, 401, "invalid_client"},
			{"no secret", basic(k.client, ""), grant, 401, "invalid_client"},
			{"unknown key", basic(string(w.North.ID)+"."+w.mia, k.secret), grant, 401, "invalid_client"},
			{"key of another school", basic(string(w.South.ID)+"."+k.id, k.secret), grant, 401, "invalid_client"},
			{"secret of another school", basic(k.client, far.secret), grant, 401, "invalid_client"},
			{"no client", "", grant, 401, "invalid_client"},
			{"no base64", "Basic ***", grant, 401, "invalid_client"},
			{"a user's token", "Bearer " + w.North.Admin.Access, grant, 401, "invalid_client"},
			{"no grant", good, "", 400, "invalid_request"},
			{"other grant", good, "grant_type=password", 400, "unsupported_grant_type"},
			{"twice", good, grant + "&grant_type=password", 400, "invalid_request"},
			{"two ways", good, grant + "&client_secret=x", 400, "invalid_request"},
			{"other scope", good, grant + "&scope=openid", 400, "invalid_scope"},
			{"no form", good, "%zz", 400, "invalid_request"},
			{"not UTF-8", good, "scope=%ff", 400, "invalid_request"},
			{"too long", good, grant + "&scope=" + strings.Repeat("x", 2000), 400, "invalid_request"},
		} {
			r := w.ask(c.authorization, c.body)
			refused(t, c.what, r, c.status, c.code)
			if got := strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Basic"); got != (c.status == 401) {
				t.Errorf("%s: WWW-Authenticate %q", c.what, r.Header.Get("WWW-Authenticate"))
			}
		}
		query := w.As(nil, "POST", tokenAt+"?"+in.Encode(), "", "Content-Type", form)
		refused(t, "a secret in the URL", query, 400, "invalid_request")
		refused(t, "JSON", w.As(nil, "POST", tokenAt, `{"grant_type":"client_credentials"}`), 400, "invalid_request")
		wrong, unknown := w.ask(basic(k.client, "x"), grant), w.ask(basic(string(w.South.ID)+"."+k.id, "x"), grant)
		apptest.Eq(t, "an unknown client looks like a wrong secret", string(unknown.Body), string(wrong.Body))
		w.Audited("oneroster-key.use", 2)
	})
}

// TestTokenIsApart: neither kind of token works in the other's place, and none for long.
func TestTokenIsApart(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		mine := w.token(w.key(w.North.Admin))
		for _, path := range []string{"/school-admin/student/list", "/auth/me", keysAt, at} {
			w.As(nil, "GET", path, nil, "Authorization", mine).Want(401, "Unauthorized")
		}
		for _, who := range []*apptest.Account{w.North.Admin, w.North.Teacher, w.Super} {
			apptest.Eq(t, "a user's token", w.get("Bearer "+who.Access, "users").Status, 401)
		}
		for _, wrong := range []string{"", "Bearer", "Bearer x", mine + "x", "Basic " + mine[7:]} {
			r := w.get(wrong, "users")
			if r.Status != 401 || !strings.Contains(string(r.Body), `"imsx_codeMinorFieldValue":"unauthorisedrequest"`) ||
				!strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%q: %d %s", wrong, r.Status, r.Body)
			}
		}
		w.Clock.Add(59 * time.Minute)
		apptest.Eq(t, "after 59 minutes", w.get(mine, "users").Status, 200)
		w.Clock.Add(time.Minute)
		apptest.Eq(t, "after an hour", w.get(mine, "users").Status, 401)
	})
}

// TestKeyEnds: a key works only while its creator may read all that it does.
func TestKeyEnds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		role := w.Make("role/create", m{"name": "Office", "type": "SCHOOL_ADMIN"})
		all := list{}
		for _, module := range w.All(`SELECT id FROM modules WHERE :school <> ''`, nil) {
			all = append(all, m{"moduleId": module, "canRead": true, "canWrite": true, "canDelete": true})
		}
		grant := func(some list) {
			w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": some}).OK()
		}
		grant(all)
		ida := w.Make("employee/create", m{"firstName": "Ida", "roleId": role, "email": "ida@example.org"})
		who := w.Account(actor.SchoolAdmin, "ida@example.org")
		k := w.key(who)
		bearer := w.token(k)
		works := func(what string, want bool) {
			t.Helper()
			status := map[bool]string{true: "ACTIVE", false: "STOPPED"}[want]
			apptest.Eq(t, what+": a token that it had", w.get(bearer, "users").Status == 200, want)
			apptest.Eq(t, what+": a new token", w.ask(basic(k.client, k.secret), "grant_type=client_credentials").Status == 200, want)
			r := w.As(w.North.Admin, "GET", keysAt, nil)
			if r.Status == 200 && !strings.Contains(string(r.Body), `"status":"`+status+`"`) {
				t.Errorf("%s: the list has %s", what, r.Body)
			}
		}
		works("at first", true)
		for i, p := range all {
			module := w.One(`SELECT name FROM modules WHERE id = :id AND :school <> ''`, db.Args{"id": p.(m)["moduleId"]})
			some := append(append(list{}, all[:i]...), m{"moduleId": p.(m)["moduleId"], "canWrite": true, "canDelete": true})
			grant(append(some, all[i+1:]...))
			needed := strings.Contains(" student employee class division subject ", " "+module+" ")
			works("without reading "+module, !needed)
		}
		grant(all)
		works("with everything again", true)
		set := func(sql string) { w.Exec(sql, db.Args{"user": who.ID}) }
		set(`UPDATE users SET status = 'DISABLED' WHERE school_id = :school AND id = :user`)
		works("disabled", false)
		set(`UPDATE users SET status = 'ACTIVE' WHERE school_id = :school AND id = :user`)
		works("enabled", true)
		w.Exec(`UPDATE schools SET status = 'SUSPENDED' WHERE id = :school`, nil)
		works("school suspended", false)
		w.Exec(`UPDATE schools SET status = 'ACTIVE' WHERE id = :school`, nil)
		works("school active", true)
		teacher := w.Make("role/create", m{"name": "Reads all", "type": "TEACHER"})
		w.Admin("PUT", "/school-admin/role/"+teacher+"/permissions", m{"permissions": all}).OK()
		w.Admin("PUT", "/school-admin/employee/"+ida, m{"roleId": teacher, "phone": "+15550109009"}).OK()
		works("a teacher now", false)
		w.Admin("PUT", "/school-admin/employee/"+ida, m{"roleId": role}).OK()
		works("an administrator again", true)
		w.Admin("DELETE", keysAt+"/"+k.id, nil)
		apptest.Eq(t, "deleted: a token that it had", w.get(bearer, "users").Status, 401)
		refused(t, "deleted", w.ask(basic(k.client, k.secret), "grant_type=client_credentials"), 401, "invalid_client")
	})
}

// TestKeys: who can make, see, rename and delete keys, how many, and who learns of it.
func TestKeys(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		role := w.Make("role/create", m{"name": "Settings", "type": "SCHOOL_ADMIN"})
		module := func(name string) string {
			return w.One(`SELECT id FROM modules WHERE name = :name AND :school <> ''`, db.Args{"name": name})
		}
		w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": list{
			m{"moduleId": module("setting"), "canRead": true, "canWrite": true}, m{"moduleId": module("student"), "canRead": true}}}).OK()
		w.Make("employee/create", m{"firstName": "Ida", "roleId": role, "email": "ida@example.org"})
		ida := w.Account(actor.SchoolAdmin, "ida@example.org")

		w.As(ida, "POST", keysAt, m{"name": "Mine"}).Want(403, "PERMISSION_DENIED")
		w.Admin("POST", keysAt, m{"name": "  "}).Want(422, "Unprocessable Entity")
		k := w.key(w.North.Admin)
		apptest.Eq(t, "told", w.Count(`notifications WHERE school_id = :school AND type = 'ONEROSTER' AND user_id = :user`,
			db.Args{"user": ida.ID}), 1)
		apptest.Eq(t, "told of one's own", w.Count(`notifications WHERE school_id = :school AND type = 'ONEROSTER' AND user_id = :user`,
			db.Args{"user": w.North.Admin.ID}), 0)
		shown := w.As(ida, "GET", keysAt, nil)
		one := shown.OK().Objects("keys")[0]
		if one["name"] != "Moodle" || one["creatorId"] != string(w.North.Admin.ID) || one["lastUsedOn"] != nil || one["clientId"] != k.client ||
			strings.Contains(string(shown.Body), "ecret") {
			t.Errorf("got %s", shown.Body)
		}
		w.token(k)
		apptest.Eq(t, "last use", w.Admin("GET", keysAt, nil).OK().Objects("keys")[0]["lastUsedOn"].(string), w.Now().UTC().Format(time.DateOnly))
		apptest.Eq(t, "a digest alone", w.Count(`oneroster_keys WHERE school_id = :school AND hash = :secret`, db.Args{"secret": k.secret}), 0)
		w.As(ida, "DELETE", keysAt+"/"+k.id, nil).Want(403, "PERMISSION_DENIED")
		w.As(w.South.Admin, "PUT", keysAt+"/"+k.id, m{"name": "Mine"}).Want(404, "Not Found")
		w.Admin("PUT", keysAt+"/"+k.id, m{"name": " "}).Want(422, "Unprocessable Entity")
		renamed := w.As(ida, "PUT", keysAt+"/"+k.id, m{"name": " Moodle of the district "}).OK()
		apptest.Eq(t, "new name", renamed["name"].(string), "Moodle of the district")
		apptest.Eq(t, "the creator stays", renamed["creatorId"].(string), string(w.North.Admin.ID))
		w.token(k) // works as before
		w.As(w.South.Admin, "DELETE", keysAt+"/"+k.id, nil).Want(404, "Not Found")
		apptest.Eq(t, "keys of South", len(w.As(w.South.Admin, "GET", keysAt, nil).OK().Objects("keys")), 0)
		got := apptest.AtOnce(25, func(int) apptest.Reply { return w.Admin("POST", keysAt, m{"name": "Many"}) })
		apptest.Eq(t, "created at once", got[201], 19)
		apptest.Eq(t, "refused at once", got[409], 6)
		apptest.Eq(t, "deleted", w.Admin("DELETE", keysAt+"/"+k.id, nil).Status, 204)
		w.Admin("DELETE", keysAt+"/"+k.id, nil).Want(404, "Not Found")
		w.Audited("oneroster-key.create", 20)
		w.Audited("oneroster-key.update", 1)
		w.Audited("oneroster-key.delete", 1)
	})
}

// TestKeysRenamedAtOnce: the audit log has each name that a key had, once.
func TestKeysRenamedAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		k := w.key(w.North.Admin)
		got := apptest.AtOnce(10, func(i int) apptest.Reply {
			return w.Admin("PUT", keysAt+"/"+k.id, m{"name": fmt.Sprint("System ", i)})
		})
		apptest.Eq(t, "renamed", got[200], 10)
		names := map[any]bool{}
		for _, e := range w.Admin("GET", "/school-admin/audit/list?action=oneroster-key.update", nil).OK().Objects("items") {
			names[e["before"].(m)["name"]] = true
		}
		apptest.Eq(t, "names before", len(names), 10)
	})
}
