package tracking

import (
	"net/http"

	"homeroom/internal/feature/tracking/page"
)

// PagePath is where people watch a bus.
const PagePath = page.Path

// Page serves it.
func Page() http.Handler { return page.Handler() }
