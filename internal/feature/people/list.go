package people

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// A list of students answers page 1 and page 1,000 of a school of 100,000 in a
// few milliseconds. The first pages come from an index, and the total is read,
// not counted: student_counts has it for every class, division and status. Deep
// pages, text and the students of a class or a year are found in the school's
// roster, which is in memory.
//
// Until that is there, or where a school is small, the database finds them: the
// ids of a deep page by an index, from whichever end is nearer, and only then the
// rows; text through an index of trigrams, unless those whom the other filters
// leave are so few that looking at each is as fast.

// fewStudents are looked at one by one when text is sought among them.
const fewStudents = 3000

// StudentSorts are the fields that lists of students sort by. Ids grow with the
// time of their making, so that they stand for createdAt.
var StudentSorts = map[string]string{
	"firstName":   "first_name",
	"lastName":    "last_name",
	"admissionNo": "admission_no",
	"rollNo":      "COALESCE(roll_no, 2147483647)",
	"createdAt":   "id",
}

func (s *Service) listStudents(ctx context.Context, school id.ID, in page.Ask[studentFilters]) (page.Of[Summary], error) {
	q := s.DB.School(school)
	f, r := in.Filters, in.Request.Clamp()
	f.Search = sought(f.Search)
	by, err := sortedBy(r.Sort)
	if err != nil {
		return page.Of[Summary]{}, err
	}
	known, err := s.rosterFor(ctx, q, school, f, r)
	if err != nil {
		return page.Of[Summary]{}, err
	}
	if known != nil {
		ids, total := known.page(f, by, r)
		return summaries(ctx, q, r, ids, total)
	}
	if f.AcademicYearID != nil {
		if f, err = f.widened(ctx, q); err != nil {
			return page.Of[Summary]{}, err
		}
	}
	if f.AcademicYearID == nil && f.Search == "" && r.Offset() <= nearStart {
		return glance(ctx, q, f, by, r)
	}
	n, err := countStudents(ctx, q, f)
	if err != nil {
		return page.Of[Summary]{}, err
	}
	l := listing{by: by, n: n, all: f == studentFilters{Search: f.Search}}
	l.among, l.args = f.among()
	if f == (studentFilters{}) && by.column == "id" {
		l.among = amongIDs
	}
	ids, total, err := l.ids(ctx, q, f.Search, r)
	if err != nil {
		return page.Of[Summary]{}, fmt.Errorf("list students: %w", err)
	}
	return summaries(ctx, q, r, ids, total)
}

// rosterFor is the school's roster, if the page is one that it answers best and it is there.
func (s *Service) rosterFor(ctx context.Context, q db.Q, school id.ID, f studentFilters, r page.Request) (*roster, error) {
	if (f == studentFilters{Status: f.Status}) && r.Offset() <= nearStart {
		return nil, nil
	}
	return s.Rosters.current(ctx, q, school, f.AcademicYearID)
}

// summaries reads the students of a page, in the order of their ids.
func summaries(ctx context.Context, q db.Q, r page.Request, ids []id.ID, total int) (page.Of[Summary], error) {
	items, err := db.All[Summary](ctx, q, `SELECT `+SummaryColumns+` FROM students WHERE school_id = :school AND id IN (:ids)`, db.Args{"ids": ids})
	if err != nil {
		return page.Of[Summary]{}, fmt.Errorf("read students: %w", err)
	}
	at := make(map[id.ID]int, len(ids))
	for i, v := range ids {
		at[v] = i
	}
	slices.SortFunc(items, func(a, b Summary) int { return at[a.ID] - at[b.ID] })
	return page.New(r, items, total), nil
}

// archivedIDs selects the few who are archived. The order, which counts for
// nothing else, has SQLite take their index.
const archivedIDs = `SELECT a.id FROM students a WHERE a.school_id = :school AND a.archived_at IS NOT NULL ORDER BY a.id LIMIT 2147483647`

// amongIDs is the condition of no filter at all, which the primary key and the
// few who are archived answer without a look at the rows.
const amongIDs = `school_id = :school AND id NOT IN (` + archivedIDs + `)`

// inYear is how many students are enrolled in the year, the archived taken off.
const inYear = `(SELECT COALESCE(SUM(n), 0) FROM enrolment_counts WHERE school_id = :school AND academic_year_id = :year) -
	(SELECT count(*) FROM enrolments e WHERE e.school_id = :school AND e.student_id IN (` + archivedIDs + `) AND e.academic_year_id = :year)`

// widened leaves the year out where all students are in it: nobody is in it twice.
func (f studentFilters) widened(ctx context.Context, q db.Q) (studentFilters, error) {
	if f.ClassID != nil || f.DivisionID != nil { // where they sat then
		return f, nil
	}
	all, err := db.One[bool](ctx, q, `
		SELECT (`+inYear+`) = (SELECT COALESCE(SUM(n), 0) FROM student_counts WHERE school_id = :school) AS all_are`, db.Args{"year": f.AcademicYearID})
	if err != nil {
		return f, fmt.Errorf("count a year's students: %w", err)
	}
	if all {
		f.AcademicYearID = nil
	}
	return f, nil
}

// nearStart is how many rows are passed over without asking which end is nearer.
const nearStart = 2000

// glance reads one of the first pages, which need no total to be found, and the
// total in the same statement.
func glance(ctx context.Context, q db.Q, f studentFilters, by order, r page.Request) (page.Of[Summary], error) {
	type row struct {
		Summary
		Total int
	}
	among, a := f.among()
	a["limit"], a["offset"], a["of_class"], a["of_division"] = r.Limit, r.Offset(), textOf(f.ClassID), textOf(f.DivisionID)
	rows, err := db.All[row](ctx, q, `
		SELECT `+SummaryColumns+`, (SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM student_counts WHERE school_id = :school`+
		db.When(f.ClassID != nil, ` AND class = :of_class`)+db.When(f.DivisionID != nil, ` AND division = :of_division`)+
		db.When(f.Status != "", ` AND status = :status`)+`) AS total
		FROM students WHERE school_id = :school AND id IN (
			SELECT id FROM students WHERE `+among+by.sql()+` LIMIT :limit OFFSET :offset)`+by.sql(), a)
	if err != nil {
		return page.Of[Summary]{}, fmt.Errorf("list students: %w", err)
	}
	if len(rows) == 0 { // no row to tell the total
		n, err := countStudents(ctx, q, f)
		return page.New(r, []Summary{}, n), err
	}
	items := make([]Summary, len(rows))
	for i, row := range rows {
		items[i] = row.Summary
	}
	return page.New(r, items, rows[0].Total), nil
}

func textOf(v *id.ID) string {
	if v == nil {
		return ""
	}
	return string(*v)
}

// among is the condition of the filters but for the text sought. Each way to
// narrow a list down has its index: see the migrations.
func (f studentFilters) among() (string, db.Args) {
	seat := db.When(f.ClassID != nil, ` AND class_id = :class`) + db.When(f.DivisionID != nil, ` AND division_id = :division`)
	switch {
	case f.AcademicYearID != nil && seat == "": // most of the school: it is walked, and each looked up
		seat = ` AND EXISTS (SELECT 1 FROM enrolments e WHERE e.school_id = :school AND e.student_id = students.id AND e.academic_year_id = :year)`
	case f.AcademicYearID != nil:
		seat = ` AND id IN (SELECT student_id FROM enrolments WHERE school_id = :school AND academic_year_id = :year` + seat + `)`
	case f.ClassID == nil && f.DivisionID != nil: // students are indexed by class, then division
		seat += ` AND class_id = (SELECT class_id FROM divisions WHERE school_id = :school AND id = :division)`
	}
	return `school_id = :school AND archived_at IS NULL` + seat +
			db.When(f.Status != "", ` AND status = :status`) +
			db.When(f.Status != "" && f.Status != active, ` AND status <> 'ACTIVE'`), // whose index has few rows
		db.Args{"class": f.ClassID, "division": f.DivisionID, "year": f.AcademicYearID, "status": f.Status}
}

// countStudents tells how many students the filters leave, the text aside.
func countStudents(ctx context.Context, q db.Q, f studentFilters) (int, error) {
	a := db.Args{"class": f.ClassID, "division": f.DivisionID, "year": f.AcademicYearID, "status": f.Status}
	sql := `SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM student_counts WHERE school_id = :school` +
		db.When(f.ClassID != nil, ` AND class = :class`) + db.When(f.DivisionID != nil, ` AND division = :division`) +
		db.When(f.Status != "", ` AND status = :status`)
	seat := db.When(f.ClassID != nil, ` AND e.class_id = :class`) + db.When(f.DivisionID != nil, ` AND e.division_id = :division`)
	switch {
	case f.AcademicYearID != nil && f.Status == "" && seat == "":
		sql = `SELECT CAST(` + inYear + ` AS BIGINT)`
	case f.AcademicYearID != nil && f.Status == "": // all of the year but the few who are archived
		sql = `SELECT (SELECT count(*) FROM enrolments e WHERE e.school_id = :school AND e.academic_year_id = :year` + seat + `) -
			(SELECT count(*) FROM enrolments e WHERE e.school_id = :school AND e.student_id IN (` + archivedIDs + `) AND e.academic_year_id = :year` + seat + `)`
	case f.AcademicYearID != nil:
		sql = `SELECT count(*) FROM enrolments e JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id
			WHERE e.school_id = :school AND e.academic_year_id = :year AND s.archived_at IS NULL AND s.status = :status` + seat
	}
	n, err := db.One[int](ctx, q, sql, a)
	if err != nil {
		return 0, fmt.Errorf("count students: %w", err)
	}
	return n, nil
}

// order is an ORDER BY over the students, in which the id breaks ties where there
// can be any.
type order struct {
	column string
	desc   bool
}

func sortedBy(s *page.Sort) (order, error) {
	if s == nil || s.Field == "" {
		return order{column: StudentSorts["firstName"]}, nil
	}
	column, ok := StudentSorts[s.Field]
	if !ok {
		return order{}, fault.OnField("sort.field", "must be one of: %s", strings.Join(slices.Sorted(maps.Keys(StudentSorts)), ", "))
	}
	return order{column, s.Order == "desc"}, nil
}

func (o order) sql() string {
	direction := db.When(o.desc, " DESC")
	if o.column == "id" || o.column == "admission_no" {
		return " ORDER BY " + o.column + direction
	}
	return " ORDER BY " + o.column + direction + ", id" + direction
}

// listing is a list of n students, the text sought aside.
type listing struct {
	among string
	args  db.Args
	by    order
	n     int
	all   bool // no filter leaves anyone out
}

// with adds arguments to those of the filters.
func (l listing) with(more db.Args) db.Args {
	a := maps.Clone(l.args)
	maps.Copy(a, more)
	return a
}

// ids finds who is on a page, and how many there are on all.
func (l listing) ids(ctx context.Context, q db.Q, sought string, r page.Request) (ids []id.ID, total int, err error) {
	switch {
	case sought == "":
		ids, err = l.walk(ctx, q, r, l.n, db.Finding{From: "students"})
		return ids, l.n, err
	case l.n <= fewStudents:
		return l.pick(ctx, q, lookedAt(sought), r)
	}
	found, err := db.Find(ctx, q, "students", sought)
	if err != nil {
		return nil, 0, err
	}
	count := found.Count
	if !l.all {
		count = `(SELECT count(*) FROM ` + found.From + ` WHERE ` + l.among + `)`
	}
	total, err = db.One[int](ctx, q, `SELECT `+count, l.with(found.Args))
	if err != nil {
		return nil, 0, err
	}
	// Where many have it, walking the list meets enough of them sooner than all are gathered.
	if steps := float64(r.Offset()+r.Limit) * float64(l.n); steps < float64(total)*float64(total) {
		ids, err = l.walk(ctx, q, r, total, lookedAt(sought))
		return ids, total, err
	}
	return l.pick(ctx, q, found, r)
}

// lookedAt finds a text by a look at each student that other conditions leave.
func lookedAt(sought string) db.Finding {
	return db.Finding{From: `(SELECT * FROM students WHERE school_id = :school AND search LIKE :like ESCAPE '\') AS students`, Args: db.Args{"like": db.Contains(sought)}}
}

// walk takes the ids of a page in their order from the index, from the end that
// is nearer.
func (l listing) walk(ctx context.Context, q db.Q, r page.Request, total int, among db.Finding) ([]id.ID, error) {
	limit, offset, by := min(r.Limit, total-r.Offset()), r.Offset(), l.by
	if limit <= 0 {
		return []id.ID{}, nil
	}
	if offset > total/2 {
		offset, by.desc = total-offset-limit, !by.desc
	}
	a := l.with(among.Args)
	a["limit"], a["offset"] = limit, offset
	ids, err := db.All[id.ID](ctx, q, `SELECT id FROM `+among.From+` WHERE `+l.among+by.sql()+` LIMIT :limit OFFSET :offset`, a)
	if by != l.by {
		slices.Reverse(ids)
	}
	return ids, err
}

// pick gathers all that are meant, counts and sorts them, and takes the ids of a page.
func (l listing) pick(ctx context.Context, q db.Q, found db.Finding, r page.Request) ([]id.ID, int, error) {
	type hit struct {
		ID    *id.ID // none past the last page
		Total int
	}
	a := l.with(found.Args)
	a["limit"], a["offset"] = r.Limit, r.Offset()
	hits, err := db.All[hit](ctx, q, `
		WITH meant AS MATERIALIZED (
			SELECT id, first_name, last_name, admission_no, roll_no FROM `+found.From+` WHERE `+l.among+`),
		page AS (SELECT id, row_number() OVER (`+l.by.sql()+`) AS at FROM meant`+l.by.sql()+` LIMIT :limit OFFSET :offset)
		SELECT page.id, total.n AS total FROM (SELECT count(*) AS n FROM meant) AS total LEFT JOIN page ON TRUE ORDER BY page.at`, a)
	if err != nil {
		return nil, 0, err
	}
	ids := []id.ID{}
	for _, h := range hits {
		if h.ID != nil {
			ids = append(ids, *h.ID)
		}
	}
	return ids, hits[0].Total, nil
}
