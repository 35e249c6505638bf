package school

import (
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/web"
)

// Place is where a school is on the map.
type Place struct {
	Lat *float64 `json:"lat" example:"52.52" doc:"Latitude of the school in degrees, for maps without other places; null if not known."`
	Lng *float64 `json:"lng" example:"13.405" doc:"Longitude in degrees."`
}

// PlaceChange is a change of a school's Place; absent fields stay.
type PlaceChange struct {
	Lat web.Opt[float64] `json:"lat" minimum:"-90" maximum:"90" doc:"Latitude of the school in degrees. Send it with lng; null removes both."`
	Lng web.Opt[float64] `json:"lng" minimum:"-180" maximum:"180" doc:"Longitude in degrees."`
}

// check refuses half a place.
func (c PlaceChange) check() error {
	given := func(o web.Opt[float64]) bool { return o.Set && !o.Null }
	switch {
	case given(c.Lat) && !given(c.Lng), c.Lat.Set && !c.Lng.Set:
		return fault.OnField("lng", "is required with lat")
	case given(c.Lng) && !given(c.Lat), c.Lng.Set && !c.Lat.Set:
		return fault.OnField("lat", "is required with lng")
	}
	return nil
}

func (c PlaceChange) apply(p *Place) { p.Lat, p.Lng = c.Lat.Or(p.Lat), c.Lng.Or(p.Lng) }
