package db

import (
	"context"
	"fmt"
	"hash/maphash"
	"strings"
	"sync"
)

// foreignKey is one of a table that is loaded. Its columns are listed with
// commas, as are the columns of the parent that they refer to.
type foreignKey struct{ Child, Parent, Columns, Keys, Types string }

// keyring follows what the rows of a load refer to, while they pass. What came
// in the load itself is known to be there; all else is looked up at its end,
// once, however many rows refer to it.
type keyring struct {
	mu    sync.Mutex
	keys  []*followed
	seed  maphash.Seed
	came  map[string]map[uint64]struct{} // hashes of ids, by table
	plans map[*insertion]*keyPlan
}

type followed struct {
	foreignKey
	own    bool             // refers to an id alone, and so perhaps to what came in the load
	wanted map[uint64][]any // what is to be looked up, but for the school, by its hash
}

// keyPlan is where an insertion has what its foreign keys are made of.
type keyPlan struct {
	id   int // -1: nothing refers to it
	keys []keyColumns
}

type keyColumns struct {
	*followed
	at []int // of the values of a row; the school's is not among them
}

func newKeyring(keys []foreignKey) *keyring {
	k := &keyring{seed: maphash.MakeSeed(), came: map[string]map[uint64]struct{}{}, plans: map[*insertion]*keyPlan{}}
	for _, f := range keys {
		k.keys = append(k.keys, &followed{f, f.Keys == "school_id,id", map[uint64][]any{}})
		k.came[f.Parent] = map[uint64]struct{}{}
	}
	return k
}

// follow returns what is to be told the values of each row of an insertion, or
// nil if they don't say what its foreign keys are.
func (k *keyring) follow(in *insertion) func(values []any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	plan, ok := k.plans[in]
	if !ok {
		plan = k.plan(in)
		k.plans[in] = plan
	}
	if plan == nil {
		return nil
	}
	return func(values []any) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.note(in.table, plan, values)
	}
}

func (k *keyring) plan(in *insertion) *keyPlan {
	columns := in.columns()
	plan := &keyPlan{id: -1}
	if at, ok := columns["id"]; ok && k.came[in.table] != nil {
		plan.id = at
	}
	for _, f := range k.keys {
		if f.Child != in.table {
			continue
		}
		key := keyColumns{followed: f}
		for _, c := range strings.Split(f.Columns, ",") {
			at, ok := columns[c]
			switch {
			case ok && at == isSchool && c == "school_id":
			case ok && at >= 0 && c != "school_id":
				key.at = append(key.at, at)
			default: // not there, or not as a value of its own
				return nil
			}
		}
		plan.keys = append(plan.keys, key)
	}
	return plan
}

func (k *keyring) note(table string, plan *keyPlan, values []any) {
	if plan.id >= 0 {
		k.came[table][k.hash(0, values[plan.id])] = struct{}{}
	}
next:
	for _, key := range plan.keys {
		var hash uint64
		for _, at := range key.at {
			if values[at] == nil {
				continue next // refers to nothing, and may
			}
			hash = k.hash(hash, values[at])
		}
		if key.own {
			if _, ok := k.came[key.Parent][hash]; ok {
				continue
			}
		}
		if _, ok := key.wanted[hash]; ok {
			continue
		}
		row := make([]any, len(key.at))
		for i, at := range key.at {
			row[i] = values[at]
		}
		key.wanted[hash] = row
	}
}

// hash is that of a value behind others. Two of as many as a load has hardly ever
// share theirs, and only one that is not there would go unnoticed.
func (k *keyring) hash(before uint64, v any) uint64 {
	if s, ok := v.(string); ok {
		return before*31 + maphash.String(k.seed, s)
	}
	var b [32]byte
	return before*31 + maphash.Bytes(k.seed, appendPlain(b[:0], v))
}

// check looks up what the rows of a load refer to, unless that was done for each.
func (t *Tx) check(ctx context.Context, l *load) error {
	if l.keys == nil {
		return nil
	}
	keys := l.keys.keys
	l.keys = nil // it is large
	for _, f := range keys {
		if len(f.wanted) == 0 {
			continue
		}
		w := f.lookup(t.c.db.pg(), string(t.sc.school))
		w.st.reads = true
		found := 0
		w.rows = &typed[int]{st: w.st, next: func() *int { return &found }, done: func(*int) error { return nil }}
		if err := t.c.run(ctx, t.sc, []*work{w}); err != nil {
			return err
		}
		if found != len(f.wanted) {
			return &failure{cause: fmt.Errorf("rows of %s refer to what is not in %s", f.Child, f.Parent), reference: true}
		}
	}
	return nil
}

// lookup counts those of the wanted that are there. PostgreSQL locks them, as it
// does where it looks each of them up by itself.
func (f *followed) lookup(pg bool, school string) *work {
	columns, keys, types := strings.Split(f.Columns, ","), strings.Split(f.Keys, ","), strings.Split(f.Types, ",")
	var where, names, arrays []string
	for i, key := range keys {
		switch {
		case columns[i] == "school_id":
			where = append(where, "p."+key+" = $1")
		case pg:
			names, arrays = append(names, "p."+key), append(arrays, fmt.Sprintf("$%d::%s[]", len(arrays)+2, types[i]))
		default:
			where = append(where, fmt.Sprintf("p.%s = w.value ->> %d", key, len(names)))
			names = append(names, key)
		}
	}
	values := []any{school}
	switch {
	case pg:
		sql := "SELECT 1 FROM " + f.Parent + " AS p WHERE " + strings.Join(where, " AND ")
		if len(names) > 0 {
			sql += " AND (" + strings.Join(names, ", ") + ") IN (SELECT * FROM unnest(" + strings.Join(arrays, ", ") + "))"
			values = append(values, f.arrays(len(names))...)
		}
		return &work{st: verbatim("SELECT count(*) FROM (" + sql + " FOR KEY SHARE) AS held"), values: values}
	case len(names) == 0:
		return &work{st: verbatim("SELECT count(*) FROM " + f.Parent + " AS p WHERE " + strings.Join(where, " AND ")), values: values}
	}
	var rows []any
	for _, row := range f.wanted {
		rows = append(rows, row)
	}
	sql := "SELECT count(*) FROM json_each($2) AS w WHERE EXISTS (SELECT 1 FROM " + f.Parent + " AS p WHERE " + strings.Join(where, " AND ") + ")"
	return &work{st: verbatim(sql), values: append(values, rows)}
}

// arrays are the wanted, column by column.
func (f *followed) arrays(n int) []any {
	columns := make([][]any, n)
	for _, row := range f.wanted {
		for i, v := range row {
			columns[i] = append(columns[i], v)
		}
	}
	out := make([]any, n)
	for i, c := range columns {
		out[i] = c
	}
	return out
}
