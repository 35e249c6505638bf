package people

import (
	"context"
	"fmt"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// kin makes and links the guardians of many students with few statements.
type kin struct {
	s     *Service
	tx    *db.Tx
	who   actor.Actor
	role  access.Role      // of parents
	known map[uint64]id.ID // guardians by phone: those met so far
	users map[uint64]id.ID // and accounts of parents that are no guardian's yet
	old   map[id.ID]bool   // guardians who were there, and may have to be welcomed back
	all   bool             // known and users have everyone of the school
}

// kinKept is how many guardians are held in memory. Of a school that has more,
// those of a chunk are looked up.
const kinKept = 100_000

// newKin locks guardians, so that two siblings at once don't make two of one phone.
func (s *Service) newKin(ctx context.Context, tx *db.Tx, who actor.Actor) (*kin, error) {
	if err := tx.Lock(ctx, "guardians"); err != nil {
		return nil, fmt.Errorf("lock guardians: %w", err)
	}
	k := &kin{s: s, tx: tx, who: who, known: map[uint64]id.ID{}, users: map[uint64]id.ID{}, old: map[id.ID]bool{}}
	var err error
	if k.role, err = access.System(ctx, tx, actor.Parent); err != nil {
		return nil, err
	}
	n, err := countParents(ctx, tx)
	if err != nil {
		return nil, err
	}
	if k.all = n <= kinKept; !k.all {
		return k, nil
	}
	type person struct {
		ID    id.ID
		Phone string
	}
	err = db.Each(ctx, tx, `SELECT id, phone FROM users WHERE school_id = :school AND role = 'PARENT' AND phone IS NOT NULL`, nil, func(p person) error {
		if key := phoneKey(p.Phone); key != 0 {
			k.users[key] = p.ID
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read parents: %w", err)
	}
	err = db.Each(ctx, tx, `SELECT id, phone FROM guardians WHERE school_id = :school AND phone <> ''`, nil, func(p person) error {
		if key := phoneKey(p.Phone); key != 0 {
			k.known[key] = p.ID
			delete(k.users, key)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read guardians: %w", err)
	}
	k.old, err = allChildless(ctx, tx)
	return k, err
}

func countParents(ctx context.Context, q db.Q) (int, error) {
	n, err := db.One[int](ctx, q, `SELECT count(*) FROM users WHERE school_id = :school AND role = 'PARENT'`, nil)
	if err != nil {
		return 0, fmt.Errorf("count parents: %w", err)
	}
	return n, nil
}

// allChildless are the guardians with an account who have no child in the
// school. It needs no index, which a load may have put off.
func allChildless(ctx context.Context, q db.Q) (map[id.ID]bool, error) {
	all, err := db.All[id.ID](ctx, q, `
		SELECT g.id FROM guardians g WHERE g.school_id = :school AND g.user_id IS NOT NULL AND g.id NOT IN (
			SELECT l.guardian_id FROM student_guardians l JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id
			WHERE l.school_id = :school AND s.archived_at IS NULL)`, nil)
	if err != nil {
		return nil, fmt.Errorf("list guardians without children: %w", err)
	}
	out := make(map[id.ID]bool, len(all))
	for _, g := range all {
		out[g] = true
	}
	return out, nil
}

// add links every family, making the guardians and PARENT accounts that its
// phones don't have yet.
func (k *kin) add(ctx context.Context, families []family) error {
	if err := k.meet(ctx, families); err != nil {
		return err
	}
	now := k.s.Now()
	var fresh []guardianRow
	var links, again []linkRow
	for _, f := range families {
		to := &links
		if f.grown {
			to = &again
		}
		first := len(*to)
		for _, g := range f.guardians {
			key := phoneKey(g.Phone)
			row := guardianRow{NewGuardian: g, ID: k.known[key], Now: now}
			if row.ID == "" {
				row.ID = k.s.NewID()
				fresh = append(fresh, row)
			}
			if key != 0 {
				k.known[key] = row.ID
			}
			if !linked((*to)[first:], row.ID) { // who is named twice is one
				*to = append(*to, linkRow{guardianRow: row, StudentID: f.student})
			}
		}
	}
	if err := k.accounts(ctx, fresh); err != nil {
		return err
	}
	return insertGuardians(ctx, k.tx, fresh, links, again)
}

func linked(links []linkRow, guardian id.ID) bool {
	for _, l := range links {
		if l.ID == guardian {
			return true
		}
	}
	return false
}

// meet finds those of the families' guardians who are there already, and opens
// the accounts of those who had no child left.
func (k *kin) meet(ctx context.Context, families []family) error {
	if !k.all {
		if err := k.lookup(ctx, families); err != nil {
			return err
		}
	}
	var back []id.ID
	for _, f := range families {
		for _, g := range f.guardians {
			if at := k.known[phoneKey(g.Phone)]; k.old[at] {
				delete(k.old, at)
				back = append(back, at)
			}
		}
	}
	return k.s.welcomeBack(ctx, k.tx, k.who, back)
}

// lookup finds those of the families' guardians and accounts who are not known yet.
func (k *kin) lookup(ctx context.Context, families []family) error {
	strangers := make([]family, 0, len(families))
	for _, f := range families {
		unmet := family{student: f.student}
		for _, g := range f.guardians {
			if key := phoneKey(g.Phone); key != 0 && k.known[key] == "" {
				unmet.guardians = append(unmet.guardians, g)
			}
		}
		if len(unmet.guardians) > 0 {
			strangers = append(strangers, unmet)
		}
	}
	there, err := guardiansByPhone(ctx, k.tx, strangers)
	if err != nil {
		return err
	}
	var phones []string
	for _, f := range strangers {
		for _, g := range f.guardians {
			if at, ok := there[g.Phone]; ok {
				k.known[phoneKey(g.Phone)], k.old[at] = at, true
			} else {
				phones = append(phones, g.Phone)
			}
		}
	}
	users, err := k.s.Accounts.ParentsByPhone(ctx, k.tx, phones)
	for phone, user := range users {
		k.users[phoneKey(phone)] = user
	}
	return err
}

// accounts gives the new guardians with a phone the PARENT account of it.
func (k *kin) accounts(ctx context.Context, fresh []guardianRow) error {
	var wanted []identity.NewAccount
	var whose []int
	for i := range fresh {
		g := &fresh[i]
		if g.UserID = k.users[phoneKey(g.Phone)]; g.UserID == "" && g.Phone != "" {
			wanted = append(wanted, identity.NewAccount{Name: g.Name, Phone: g.Phone, Email: g.Email})
			whose = append(whose, i)
		}
	}
	users, err := k.s.Accounts.CreateParents(ctx, k.tx, k.role, wanted)
	if err != nil {
		return err
	}
	for i, user := range users {
		fresh[whose[i]].UserID = user
	}
	return nil
}
