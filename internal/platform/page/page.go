// Package page has list requests and their pages.
package page

// Limits of a page's size.
const (
	DefaultLimit = 20
	MaxLimit     = 100
	maxPage      = 1_000_000_000 // so that an offset can't overflow
)

// Request is the requested page. Inputs embed it through Ask; web fills it from the query
// string or the body.
type Request struct {
	Page  int   `json:"page,omitempty" minimum:"1" maximum:"1000000000" default:"1" doc:"Page, from 1."`
	Limit int   `json:"limit,omitempty" minimum:"1" default:"20" doc:"Rows per page, at most 100. Larger values are reduced to 100."`
	Sort  *Sort `json:"sort,omitempty" doc:"Sort order. Ties are sorted by id."`
}

// Sort names a field of the list's records and a direction.
type Sort struct {
	Field string `json:"field,omitempty" doc:"A field that this list can sort by. Default: the list's own order."`
	Order string `json:"order,omitempty" enum:"asc,desc" default:"asc"`
}

// Clamp returns r with defaults and a limited page size.
func (r Request) Clamp() Request {
	if r.Page < 1 {
		r.Page = 1
	}
	r.Page = min(r.Page, maxPage)
	if r.Limit < 1 {
		r.Limit = DefaultLimit
	}
	r.Limit = min(r.Limit, MaxLimit)
	return r
}

// Offset returns the number of rows before the page.
func (r Request) Offset() int { return (r.Page - 1) * r.Limit }

// Of is one page of records, the data of a reply.
type Of[T any] struct {
	Items      []T `json:"items"`
	Total      int `json:"total"`
	Page       int `json:"page"`
	Limit      int `json:"limit"`
	TotalPages int `json:"totalPages"`
}

// New returns the page for r, which must be clamped.
func New[T any](r Request, items []T, total int) Of[T] {
	if items == nil {
		items = []T{}
	}
	return Of[T]{Items: items, Total: total, Page: r.Page, Limit: r.Limit, TotalPages: (total + r.Limit - 1) / r.Limit}
}

// Ask is a list request: a page and filters.
type Ask[F any] struct {
	Request
	Filters F `json:"filters,omitempty"`
}
