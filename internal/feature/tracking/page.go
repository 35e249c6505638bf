package tracking

import (
	"net/http"

	"homeroom/internal/feature/tracking/page"
)

// PagePath is the path of the tracking page.
const PagePath = page.Path

// Page serves the tracking page.
func Page() http.Handler { return page.Handler() }
