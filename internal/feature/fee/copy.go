package fee

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Copy copies the fee structures of classes to those of another year that have none,
// and returns their number. Their dates move to that year.
func (s *Service) Copy(ctx context.Context, tx *db.Tx, c academics.Copying) (int, error) {
	classes := slices.Concat(slices.Collect(maps.Keys(c.Classes)), slices.Collect(maps.Values(c.Classes)))
	all, err := db.All[Structure](ctx, tx, `
		SELECT `+structureColumns+` FROM `+structureFrom+` AND s.class_id IN (:classes) ORDER BY s.id`, db.Args{"classes": classes})
	if err != nil {
		return 0, fault.Wrap("read fee structures", err)
	}
	if err := fillStructures(ctx, tx, all); err != nil {
		return 0, err
	}
	has := map[id.ID]bool{}
	for _, st := range all {
		has[st.ClassID] = true
	}
	n := 0
	for _, st := range all {
		class := c.Classes[st.ClassID]
		if class == "" || has[class] { // "": a structure of the new year itself
			continue
		}
		now := s.Now()
		st.ID, st.ClassID, st.AcademicYearID, st.Version, st.CreatedAt, st.UpdatedAt = s.NewID(), class, c.To.ID, 1, now, now
		if err := putStructure(ctx, tx, st); err != nil {
			return 0, err
		}
		for i := range st.Items {
			item := &st.Items[i]
			item.ID, item.StructureID = s.NewID(), st.ID
			for _, d := range []**clock.Date{&item.DueDate, &item.StartDate, &item.EndDate} {
				*d = moved(*d, c.From, c.To)
			}
		}
		if err := putItems(ctx, tx, st.ID, st.Items); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// moved is the same day in another academic year. A day outside its own year moves by the
// years between the two.
func moved(d *clock.Date, from, to school.Year) *clock.Date {
	if d == nil {
		return nil
	}
	years := int(math.Round(float64(monthsBetween(from.StartDate, to.StartDate)) / 12))
	if from.StartDate <= *d && *d <= from.EndDate {
		for _, n := range []int{years, years - 1, years + 1} {
			if on := inYears(*d, n); to.StartDate <= on && on <= to.EndDate {
				return &on
			}
		}
	}
	return new(inYears(*d, years))
}

// inYears is the same day some years on: of 29 February, the 28th if there is no 29th.
func inYears(d clock.Date, years int) clock.Date {
	on := d.Time().AddDate(years, 0, 0)
	if on.Day() != d.Time().Day() {
		on = on.AddDate(0, 0, -on.Day())
	}
	return clock.Date(on.Format(time.DateOnly))
}
