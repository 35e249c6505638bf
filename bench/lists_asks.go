package main

import (
	"context"
	"errors"
	"strings"
	"time"
)

const (
	firstPage    = 20 * time.Millisecond
	fiftiethPage = 40 * time.Millisecond
	longSearch   = 30 * time.Millisecond // of three letters or more
	shortSearch  = 60 * time.Millisecond // of one or two
)

// listAsk is a list that is measured, and how long it may take.
type listAsk struct {
	name, path string
	wanted     time.Duration
}

var listAsks = []listAsk{
	{"students, page 1", listPath, firstPage},
	{"students, page 50", listPath + "?page=50", fiftiethPage},
	{"students by last name, page 1", listPath + "?sort=lastName", firstPage},
	{"students by last name, descending, page 50", listPath + "?sort=lastName&order=desc&page=50", fiftiethPage},
	{"students by admission number, page 1", listPath + "?sort=admissionNo", firstPage},
	{"students by admission number, page 50", listPath + "?sort=admissionNo&page=50", fiftiethPage},
	{"students by roll number, page 1", listPath + "?sort=rollNo", firstPage},
	{"students by roll number, page 50", listPath + "?sort=rollNo&page=50", fiftiethPage},
	{"newest students, page 1", listPath + "?sort=createdAt&order=desc", firstPage},
	{"newest students, page 50", listPath + "?sort=createdAt&order=desc&page=50", fiftiethPage},
	{"active students, page 1", listPath + "?status=ACTIVE", firstPage},
	{"active students, page 50", listPath + "?status=ACTIVE&page=50", fiftiethPage},
	{"students who left, page 1", listPath + "?status=LEFT", firstPage},
	{"students of a class, page 1", listPath + "?classId=CLASS", firstPage},
	{"students of a class, page 50", listPath + "?classId=CLASS&page=50", fiftiethPage},
	{"students of a division by roll number, page 1", listPath + "?divisionId=DIVISION&sort=rollNo", firstPage},
	{"students of a year, page 1", listPath + "?academicYearId=YEAR", firstPage},
	{"students of a year, page 50", listPath + "?academicYearId=YEAR&page=50", fiftiethPage},
	{"active students of a year by last name, page 50", listPath + "?academicYearId=YEAR&status=ACTIVE&sort=lastName&page=50", fiftiethPage},
	{"students of a year and class, page 1", listPath + "?academicYearId=YEAR&classId=CLASS", firstPage},
	{"students, search of 3 letters", listPath + "?search=mar", longSearch},
	{"students, search of 3 letters by last name, page 50", listPath + "?search=mar&sort=lastName&page=50", longSearch},
	{"students, search of a whole name", listPath + "?search=marlen+bakori", longSearch},
	{"students, search of a phone", listPath + "?search=5551012345", longSearch},
	{"students, search of what nobody has", listPath + "?search=xyzzy", longSearch},
	{"students of a year, search of 3 letters", listPath + "?search=mar&academicYearId=YEAR", longSearch},
	{"students, search of 2 letters", listPath + "?search=ma", shortSearch},
	{"students, search of 2 letters by roll number, page 50", listPath + "?search=ma&sort=rollNo&page=50", shortSearch},
	{"students, search of 1 letter", listPath + "?search=a", shortSearch},
	{"employees, page 1", "/school-admin/employee/list", firstPage},
	{"employees, page 50", "/school-admin/employee/list?page=50", fiftiethPage},
	{"employees, search of 3 letters", "/school-admin/employee/list?search=mar", longSearch},
	{"books, page 1", "/school-admin/library/book/list", firstPage},
	{"books, page 50", "/school-admin/library/book/list?page=50", fiftiethPage},
	{"books by author, page 50", "/school-admin/library/book/list?sort=author&page=50", fiftiethPage},
	{"books, search of 3 letters", "/school-admin/library/book/list?search=mar", longSearch},
	{"books, search of 2 letters", "/school-admin/library/book/list?search=ma", shortSearch},
	{"books, search of 1 letter", "/school-admin/library/book/list?search=a", shortSearch},
	{"recipients of messages, page 1", "/school-admin/message/recipients", firstPage},
	{"recipients of messages, page 50", "/school-admin/message/recipients?page=50", fiftiethPage},
	{"recipients of messages, search of 3 letters", "/school-admin/message/recipients?search=mar", longSearch},
	{"classes", "/school-admin/class/list", firstPage},
	{"divisions", "/school-admin/division/list", firstPage},
	{"audit log", "/school-admin/audit/list", firstPage},
	{"dues", "/school-admin/fee/report/dues", firstPage},
}

// with puts the ids of a database into the path.
func (a listAsk) with(class, division, year string) string {
	return strings.NewReplacer("CLASS", class, "DIVISION", division, "YEAR", year).Replace(a.path)
}

// pair reads a row of two texts.
func (t target) pair(ctx context.Context, query string) (a, b string, err error) {
	d, err := t.open()
	if err != nil {
		return "", "", err
	}
	a, b, err = pair(ctx, d, query)
	return a, b, errors.Join(err, d.Close())
}
