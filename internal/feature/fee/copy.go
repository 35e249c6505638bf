package fee

import (
	"context"
	"maps"
	"slices"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Copy copies the fee structures of classes to those of another year that have none,
// and returns their number. Dates move by the years between the two.
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
	years := c.To.StartDate.Time().Year() - c.From.StartDate.Time().Year()
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
			item.DueDate, item.StartDate, item.EndDate = later(item.DueDate, years), later(item.StartDate, years), later(item.EndDate, years)
		}
		if err := putItems(ctx, tx, st.ID, st.Items); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// later is the same day some years on.
func later(d *clock.Date, years int) *clock.Date {
	if d == nil {
		return nil
	}
	return new(clock.Date(d.Time().AddDate(years, 0, 0).Format(time.DateOnly)))
}
