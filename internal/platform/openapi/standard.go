package openapi

import (
	"net/http"
	"strconv"

	"homeroom/internal/platform/web"
)

// standardForm documents the body of a route with another standard's wire format.
func (g *generator) standardForm(r *web.Route) object {
	_, schema := g.input(r)
	return object{{"required", true}, {"content", object{{"application/x-www-form-urlencoded", object{{"schema", schema}}}}}}
}

// standardResponses documents the replies and errors of such a route.
func (g *generator) standardResponses(r *web.Route) object {
	body := func(what string, schema any) object {
		return object{{"description", what}, {"content", object{{"application/json", object{{"schema", schema}}}}}}
	}
	out := object{{strconv.Itoa(r.Status), body("OK.", g.schema(r.Reply, true))}}
	problem := g.schema(web.SchemaOf(r.Standard.Problem), true)
	for _, c := range []int{400, 401, 403, 404, 413, 415, 422, 429, 500, 503} {
		out = append(out, member{strconv.Itoa(c), body(http.StatusText(c)+".", problem)})
	}
	return out
}
