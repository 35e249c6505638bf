// Package page carries a list request to SQL and its page back.
package page

// Limits of a page's size.
const (
	DefaultLimit = 20
	MaxLimit     = 100
	maxPage      = 1_000_000_000 // so that an offset can't overflow
)

// Request is the page a caller asked for. An input embeds it through Ask;
// web fills it from a query string or a body alike.
type Request struct {
	Page  int   `json:"page,omitempty" minimum:"1" maximum:"1000000000" default:"1" doc:"Page, from 1."`
	Limit int   `json:"limit,omitempty" minimum:"1" default:"20" doc:"Rows a page, 1 to 100. A larger value is cut to 100."`
	Sort  *Sort `json:"sort,omitempty" doc:"What to order by. The id breaks ties."`
}

// Sort names a field of the list's records and a direction.
type Sort struct {
	Field string `json:"field,omitempty" doc:"Name of a field that this list sorts by. Without one the list has its own order."`
	Order string `json:"order,omitempty" enum:"asc,desc" default:"asc"`
}

// Clamp returns r with its defaults filled and its limit bounded.
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

// Offset is the number of rows before the page.
func (r Request) Offset() int { return (r.Page - 1) * r.Limit }

// Of is one page of records, as the reply's data.
type Of[T any] struct {
	Items      []T `json:"items"`
	Total      int `json:"total"`
	Page       int `json:"page"`
	Limit      int `json:"limit"`
	TotalPages int `json:"totalPages"`
}

// New makes the reply to r, which must be clamped.
func New[T any](r Request, items []T, total int) Of[T] {
	if items == nil {
		items = []T{}
	}
	return Of[T]{Items: items, Total: total, Page: r.Page, Limit: r.Limit, TotalPages: (total + r.Limit - 1) / r.Limit}
}

// Ask is a whole list request: a page and the filters of one list.
type Ask[F any] struct {
	Request
	Filters F `json:"filters,omitempty"`
}
