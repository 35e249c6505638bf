package db_test

import (
	"slices"
	"testing"

	"homeroom/internal/platform/db"
	tables "homeroom/internal/schema"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	all, err := db.Describe(t.Context(), tables.FS)
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, one := range all {
		at[one.Name] = i
		for _, to := range one.Refs {
			if j, ok := at[to]; !ok || j == i {
				t.Errorf("%s is not after %s, which it refers to", one.Name, to)
			}
		}
		if len(one.Key) == 0 || slices.Contains(one.Key, "") {
			t.Errorf("%s has the primary key %q", one.Name, one.Key)
		}
		for _, c := range one.Columns {
			if !slices.Contains([]string{"uuid", "ts", "json", "bool", "text", "int", "float"}, c.Type) {
				t.Errorf("%s.%s has the type %q", one.Name, c.Name, c.Type)
			}
		}
	}
	charges := all[at["fee_charges"]]
	if !slices.Equal(charges.Self, []string{"fine_of"}) || !slices.Contains(charges.Refs, "students") {
		t.Errorf("fee_charges: %+v", charges)
	}
	if got := all[at["reads"]].Key; !slices.Equal(got, []string{"school_id", "record_id", "at", "id"}) {
		t.Errorf("the key of reads: %v", got)
	}
	if got := all[at["email_logins"]].Unique; len(got) != 1 || !slices.Equal(got[0], []string{"email"}) {
		t.Errorf("unique indexes of email_logins: %v", got)
	}
}
