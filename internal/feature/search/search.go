// Package search finds records of several modules by one text, for the office. It only
// reads data of other features.
package search

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

const most = 5 // hits of a kind

// Service searches.
type Service struct {
	DB *db.DB
}

// Routes are the endpoints of this feature.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/search", s.search, web.ReadAny("student", "employee", "fee", "library"),
			web.Doc("Find students, guardians, employees, receipts, refunds and books: up to five of each kind that the caller may read.")),
	}
}

type searchIn struct {
	Q string `json:"q" required:"true" maxLength:"100" pattern:"\\S" patternHint:"must not be blank" doc:"Words in any order, each any part of a name, number, code, phone, title or ISBN, or a copy's accession number."`
}

type searchOut struct {
	Results []Hit `json:"results" doc:"Students first, then guardians, employees, receipts, refunds and books."`
}

// Hit is a record that was found.
type Hit struct {
	Kind     string  `json:"kind" enum:"STUDENT,GUARDIAN,EMPLOYEE,RECEIPT,REFUND,BOOK"`
	ID       id.ID   `json:"id"`
	Title    string  `json:"title" doc:"The name, number or title."`
	Subtitle *string `json:"subtitle" doc:"What tells it from others of the same title; null if nothing is known." example:"Grade 1 A · GF-0001"`
}

func (s *Service) search(ctx context.Context, who actor.Actor, in searchIn) (searchOut, error) {
	out := searchOut{Results: []Hit{}}
	for _, k := range kinds {
		if !who.Can(k.module, actor.Read) {
			continue
		}
		hits, err := k.find(ctx, s.DB.School(who.School), in.Q)
		if err != nil {
			return out, err
		}
		out.Results = append(out.Results, hits...)
	}
	return out, nil
}

// kind is a kind of record that can be found.
type kind struct {
	name, module string
	sql          string // selects id, title, and what the subtitle is made of; ends in a condition
	match        func(a db.Args, q string) string
	order        string
}

// find returns the first records that match.
func (k kind) find(ctx context.Context, q db.Q, text string) ([]Hit, error) {
	type row struct {
		ID                  id.ID
		Title               string
		First, Second, Last *string
	}
	args := db.Args{"most": most}
	found, err := db.All[row](ctx, q, k.sql+k.match(args, text)+` ORDER BY `+k.order+` LIMIT :most + 0`, args)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", strings.ToLower(k.name), err)
	}
	hits := make([]Hit, len(found))
	for i, r := range found {
		hits[i] = Hit{k.name, r.ID, r.Title, subtitle(r.First, r.Second, r.Last)}
	}
	return hits, nil
}

// subtitle joins what is known; nil if nothing is.
func subtitle(parts ...*string) *string {
	var known []string
	for _, p := range parts {
		if p != nil && strings.TrimSpace(*p) != "" {
			known = append(known, strings.TrimSpace(*p))
		}
	}
	if known == nil {
		return nil
	}
	return new(strings.Join(known, " · "))
}

// matches returns the condition on a search column.
func matches(column string) func(db.Args, string) string {
	return func(a db.Args, q string) string { return people.Matches(a, column, q) }
}
