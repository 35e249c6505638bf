package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// The bare server of peers: what somebody would write for the same answers and nothing
// else. It has its own lean tables, and a token is a key of a map.

// bareStore is the database of the bare server.
type bareStore interface {
	// query runs a prepared statement that only reads.
	query(sql string, args []any, row func(scan func(...any) error) error) error
	create(school int64, in newcomer) (id int64, admissionNo string, err error)
	mark(school int64, in sheetIn) (sheetOut, error)
}

type bareServer struct {
	bareStore
	tokens map[string]int64 // token to school
}

var errNoRow = errors.New("not found")

// serveBare serves a database that fillBare has filled, until it is killed.
func serveBare(engine, url string) error {
	open := openBareSQLite
	if engine == "PostgreSQL" {
		open = openBarePostgres
	}
	store, err := open(url)
	if err != nil {
		return err
	}
	b := bareServer{store, map[string]int64{}}
	err = b.query(`SELECT token, school_id FROM tokens`, nil, func(scan func(...any) error) error {
		var token string
		var school int64
		err := scan(&token, &school)
		b.tokens[token] = school
		return err
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux() // the service's paths, so that both get the same requests
	mux.HandleFunc("GET /school-admin/student/list", b.answer(b.list))
	mux.HandleFunc("GET /school-admin/student/{id}", b.answer(b.student))
	mux.HandleFunc("POST /school-admin/student/create", b.answer(b.newStudent))
	mux.HandleFunc("POST /teacher/attendance/mark", b.answer(b.marks))
	mux.HandleFunc("GET /school-admin/attendance/report", b.answer(b.month))
	mux.HandleFunc("GET /school-admin/fee/report/{id}", b.answer(b.statement))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, mux)
}

// answer finds the school of the token and writes what the handler returns.
func (b bareServer) answer(handle func(school int64, r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		school, ok := b.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		if !ok {
			http.Error(w, "sign in first", http.StatusUnauthorized)
			return
		}
		out, err := handle(school, r)
		if errors.Is(err, errNoRow) {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		var body []byte
		if err == nil {
			body, err = json.Marshal(out)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // fails only if the client is gone
	}
}

type bareStudent struct {
	ID            int64  `json:"id"`
	AdmissionNo   string `json:"admissionNo"`
	FirstName     string `json:"firstName"`
	LastName      string `json:"lastName"`
	ClassName     string `json:"className"`
	DivisionName  string `json:"divisionName"`
	RollNo        int    `json:"rollNo"`
	DateOfBirth   string `json:"dateOfBirth"`
	Gender        string `json:"gender"`
	Phone         string `json:"phone"`
	GuardianName  string `json:"guardianName"`
	GuardianPhone string `json:"guardianPhone"`
}

const (
	bareColumns = `SELECT s.id, s.admission_no, s.first_name, s.last_name, c.name, d.name, s.roll_no, s.date_of_birth, s.gender, s.phone,
		s.guardian_name, s.guardian_phone`
	bareJoins    = ` JOIN divisions d ON d.id = s.division_id JOIN classes c ON c.id = s.class_id`
	bareClassSQL = bareColumns + `, (SELECT count(*) FROM students WHERE school_id = $1 AND class_id = $2) FROM students s` + bareJoins +
		` WHERE s.school_id = $1 AND s.class_id = $2 ORDER BY s.first_name, s.id LIMIT $3`
	bareSearchSQL = `WITH hit AS MATERIALIZED (
			SELECT id FROM students WHERE school_id = $1 AND strpos(name_key, $2) > 0 ORDER BY name_key, id) ` + bareColumns +
		`, (SELECT count(*) FROM hit) FROM (SELECT id FROM hit LIMIT $3) h JOIN students s ON s.id = h.id` + bareJoins +
		` ORDER BY s.name_key, s.id`
	bareStudentSQL = bareColumns + ` FROM students s` + bareJoins + ` WHERE s.id = $1 AND s.school_id = $2`
)

func (s *bareStudent) fields() []any {
	return []any{&s.ID, &s.AdmissionNo, &s.FirstName, &s.LastName, &s.ClassName, &s.DivisionName, &s.RollNo, &s.DateOfBirth, &s.Gender,
		&s.Phone, &s.GuardianName, &s.GuardianPhone}
}

func (b bareServer) list(school int64, r *http.Request) (any, error) {
	q := r.URL.Query()
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil {
		return nil, err
	}
	sql, args := bareSearchSQL, []any{school, strings.ToLower(q.Get("search")), limit}
	if class := q.Get("classId"); class != "" {
		n, err := strconv.ParseInt(class, 10, 64)
		if err != nil {
			return nil, err
		}
		sql, args[1] = bareClassSQL, n
	}
	out := struct {
		Items []bareStudent `json:"items"`
		Total int           `json:"total"`
	}{Items: make([]bareStudent, 0, limit)}
	err = b.query(sql, args, func(scan func(...any) error) error {
		out.Items = append(out.Items, bareStudent{})
		return scan(append(out.Items[len(out.Items)-1].fields(), &out.Total)...)
	})
	return out, err
}

func (b bareServer) student(school int64, r *http.Request) (any, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, err
	}
	var out bareStudent
	err = b.query(bareStudentSQL, []any{id, school}, func(scan func(...any) error) error { return scan(out.fields()...) })
	if err == nil && out.ID == 0 {
		err = errNoRow
	}
	return out, err
}

// newcomer is a student to create.
type newcomer struct {
	FirstName, LastName string
	ClassID, DivisionID int64 `json:",string"`
	DateOfBirth, Gender string
}

func (b bareServer) newStudent(school int64, r *http.Request) (any, error) {
	var in struct{ Data newcomer }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	n := in.Data
	id, no, err := b.create(school, n)
	return bareStudent{ID: id, AdmissionNo: no, FirstName: n.FirstName, LastName: n.LastName, DateOfBirth: n.DateOfBirth,
		Gender: n.Gender}, err
}
