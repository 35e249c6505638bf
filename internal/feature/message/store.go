package message

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

var (
	errNoThread  = fault.Missing("conversation")
	errNoMessage = fault.Missing("message")
)

// row is a message with the names of accounts.
type row struct {
	ID          id.ID
	ThreadID    id.ID
	SideID      id.ID
	AuthorID    id.ID
	AuthorName  string
	Body        string
	Attachments db.JSON[[]id.ID]
	ReadAt      *time.Time
	ReadBy      *id.ID
	ReaderName  string
	CreatedAt   time.Time
}

// thread is a conversation with the names of both sides, its last message and the
// unread count of one side.
type thread struct {
	ID id.ID
	pair
	SchoolName      string
	UserName        string
	UserRole        actor.Role
	PeerName        string // of the teacher
	PeerRole        actor.Role
	StudentName     string
	Unread          int
	LastMessageID   id.ID
	LastSideID      id.ID
	LastBody        string
	LastAttachments db.JSON[[]id.ID]
	LastReadAt      *time.Time
	LastAt          time.Time
	CreatedAt       time.Time
}

// Subqueries by primary key instead of joins: pages are short, and the planner of
// neither engine can pick a bad order.
const (
	threadColumns = `m.thread_id AS id, m.user_id, m.peer_id, m.student_id, m.unread, m.last_message_id, m.created_at,
		(SELECT c.name FROM schools c WHERE c.id = m.school_id) AS school_name,
		(SELECT u.name FROM users u WHERE u.school_id = m.school_id AND u.id = m.user_id) AS user_name,
		(SELECT u.role FROM users u WHERE u.school_id = m.school_id AND u.id = m.user_id) AS user_role,
		COALESCE((SELECT p.name FROM users p WHERE p.school_id = m.school_id AND p.id = m.peer_id), '') AS peer_name,
		COALESCE((SELECT p.role FROM users p WHERE p.school_id = m.school_id AND p.id = m.peer_id), '') AS peer_role,
		COALESCE((SELECT ` + studentName + ` FROM students s WHERE s.school_id = m.school_id AND s.id = m.student_id), '') AS student_name,
		(SELECT b.side_id FROM messages b WHERE b.school_id = m.school_id AND b.id = m.last_message_id) AS last_side_id,
		(SELECT SUBSTR(b.body, 1, 200) FROM messages b WHERE b.school_id = m.school_id AND b.id = m.last_message_id) AS last_body,
		(SELECT b.attachments FROM messages b WHERE b.school_id = m.school_id AND b.id = m.last_message_id) AS last_attachments,
		(SELECT b.read_at FROM messages b WHERE b.school_id = m.school_id AND b.id = m.last_message_id) AS last_read_at,
		(SELECT b.created_at FROM messages b WHERE b.school_id = m.school_id AND b.id = m.last_message_id) AS last_at`
	threadFrom = `message_sides m WHERE m.school_id = :school AND m.side_id = :side`

	messageColumns = `m.id, m.thread_id, m.side_id, m.author_id, m.body, m.attachments, m.read_at, m.read_by, m.created_at,
		COALESCE((SELECT a.name FROM users a WHERE a.school_id = m.school_id AND a.id = m.author_id), '') AS author_name,
		COALESCE((SELECT r.name FROM users r WHERE r.school_id = m.school_id AND r.id = m.read_by), '') AS reader_name`
	messageFrom = `messages m WHERE m.school_id = :school`
)

// getThread reads a conversation of the side; others' are not found.
func getThread(ctx context.Context, q db.Q, of, side id.ID) (thread, error) {
	t, err := db.One[thread](ctx, q, `SELECT `+threadColumns+` FROM `+threadFrom+` AND m.thread_id = :id`, db.Args{"id": of, "side": side})
	return t, db.Found("read conversation", err, errNoThread)
}

// threadOf reads the conversation of a message, for the side.
func threadOf(ctx context.Context, q db.Q, message, side id.ID) (thread, error) {
	t, err := db.One[thread](ctx, q, `SELECT `+threadColumns+` FROM `+threadFrom+` AND m.thread_id = (
		SELECT x.thread_id FROM messages x WHERE x.school_id = :school AND x.id = :id)`, db.Args{"id": message, "side": side})
	return t, db.Found("read conversation of a message", err, errNoThread)
}

// filter filters the list of conversations.
type filter struct {
	Unread    *bool  `json:"unread,omitempty" doc:"True: only with unread messages. False: only without."`
	StudentID *id.ID `json:"studentId,omitempty"`
	Search    string `json:"search,omitempty" maxLength:"100" doc:"Part of the name of the other side or the student; for the office also of a phone or e-mail, with read on student."`
}

// from is the FROM clause for counting and sorting; contacts searches phones and e-mail addresses, too.
func (f filter) from(contacts bool) string {
	search := people.Pattern(f.Search) != ""
	return threadFrom +
		db.When(f.Unread != nil && *f.Unread, ` AND m.unread > 0`) +
		db.When(f.Unread != nil && !*f.Unread, ` AND m.unread = 0`) +
		db.When(f.StudentID != nil, ` AND m.student_id = :student`) +
		db.When(search && !contacts, ` AND m.search LIKE :search ESCAPE '\'`) +
		db.When(search && contacts, ` AND (m.search LIKE :search ESCAPE '\' OR m.user_id IN (
			SELECT u.id FROM users u WHERE u.school_id = :school AND u.search LIKE :account ESCAPE '\'))`)
}

// listThreads pages through the conversations of a side. It selects ids along an index
// and then reads those rows, so that late pages are as fast as early ones.
func listThreads(ctx context.Context, q db.Q, side id.ID, contacts bool, f filter, r page.Request) (page.Of[thread], error) {
	a := db.Args{"side": side, "student": f.StudentID, "search": people.Pattern(f.Search)}
	if contacts {
		a["account"] = accountPattern(f.Search)
	}
	found, err := db.Page[id.ID](ctx, q, db.List{
		Columns: `m.thread_id`, From: f.from(contacts),
		Sorts: map[string]string{"lastMessageAt": "m.last_message_id", "id": "m.thread_id"}, Default: "-lastMessageAt",
	}, r, a)
	out := page.Of[thread]{Items: []thread{}, Total: found.Total, Page: found.Page, Limit: found.Limit, TotalPages: found.TotalPages}
	if err != nil || len(found.Items) == 0 {
		return out, err
	}
	out.Items, err = db.All[thread](ctx, q, `SELECT `+threadColumns+` FROM `+threadFrom+` AND m.thread_id IN (:ids)`,
		db.Args{"side": side, "ids": found.Items})
	if err != nil {
		return out, fmt.Errorf("list conversations: %w", err)
	}
	slices.SortFunc(out.Items, func(x, y thread) int {
		return cmp.Compare(slices.Index(found.Items, x.ID), slices.Index(found.Items, y.ID))
	})
	return out, nil
}

const countUnreadSQL = `
	SELECT CAST(COALESCE(SUM(unread), 0) AS BIGINT) FROM message_sides WHERE school_id = :school AND side_id = :side AND unread > 0`

// countUnread counts all unread messages of a side.
func countUnread(ctx context.Context, q db.Q, side id.ID) (int, error) {
	n, err := db.One[int](ctx, q, countUnreadSQL, db.Args{"side": side})
	if err != nil {
		return 0, fmt.Errorf("count unread messages: %w", err)
	}
	return n, nil
}

// listMessages pages through a conversation, optionally only messages before one.
func listMessages(ctx context.Context, q db.Q, of id.ID, before *id.ID, r page.Request) (page.Of[row], error) {
	return db.Page[row](ctx, q, db.List{
		Columns: messageColumns,
		From:    messageFrom + ` AND m.thread_id = :thread` + db.When(before != nil, ` AND m.id < :before`),
		Sorts:   map[string]string{"createdAt": "m.id", "id": "m.id"}, Default: "-createdAt",
	}, r, db.Args{"thread": of, "before": before})
}

// getMessage reads one message of a conversation.
func getMessage(ctx context.Context, q db.Q, of, message id.ID) (row, error) {
	m, err := db.One[row](ctx, q, `SELECT `+messageColumns+` FROM `+messageFrom+` AND m.thread_id = :thread AND m.id = :id`,
		db.Args{"thread": of, "id": message})
	return m, db.Found("read message", err, errNoMessage)
}

// findThread returns the conversation of a pair, or db.ErrNotFound.
func findThread(ctx context.Context, q db.Q, p pair) (id.ID, error) {
	return db.One[id.ID](ctx, q, `
		SELECT id FROM message_threads WHERE school_id = :school AND user_id = :user AND peer_id = :peer AND `+
		db.When(p.StudentID == nil, `student_id IS NULL`)+db.When(p.StudentID != nil, `student_id = :student`),
		db.Args{"user": p.UserID, "peer": p.PeerID, "student": p.StudentID})
}

func putThread(ctx context.Context, tx *db.Tx, of id.ID, p pair, now time.Time) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO message_threads (school_id, id, user_id, peer_id, student_id, created_at)
		VALUES (:school, :id, :user, :peer, :student, :now)`,
		db.Args{"id": of, "user": p.UserID, "peer": p.PeerID, "student": p.StudentID, "now": now})
	return err
}

func putMessage(ctx context.Context, tx *db.Tx, m row) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO messages (school_id, id, thread_id, side_id, author_id, body, attachments, created_at)
		VALUES (:school, :id, :thread_id, :side_id, :author_id, :body, :attachments, :created_at)`, []row{m})
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// putSides inserts both sides of a conversation with its first message.
func putSides(ctx context.Context, tx *db.Tx, m row, p pair, search string) error {
	type side struct {
		pair
		ThreadID, SideID, LastMessageID id.ID
		Unread                          int
		Search                          string
		CreatedAt                       time.Time
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO message_sides (school_id, thread_id, side_id, user_id, peer_id, student_id, last_message_id, unread, search, created_at)
		VALUES (:school, :thread_id, :side_id, :user_id, :peer_id, :student_id, :last_message_id, :unread, :search, :created_at)`, []side{
		{p, m.ThreadID, m.SideID, m.ID, 0, search, m.CreatedAt},
		{p, m.ThreadID, p.other(m.SideID), m.ID, 1, search, m.CreatedAt}})
	if err != nil {
		return fmt.Errorf("insert the sides of a conversation: %w", err)
	}
	return nil
}

// moveSides updates both sides for a further message, and their search text.
func moveSides(ctx context.Context, tx *db.Tx, m row, search string) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE message_sides SET last_message_id = :message, search = :search, unread = CASE WHEN side_id = :side THEN unread ELSE unread + 1 END
		WHERE school_id = :school AND thread_id = :thread`,
		db.Args{"message": m.ID, "search": search, "side": m.SideID, "thread": m.ThreadID})
	if err != nil {
		return fmt.Errorf("update the sides of a conversation: %w", err)
	}
	return nil
}

// putRead marks messages of the other side as read, up to a message or all, and
// returns how many. It decrements the unread count instead of recounting, so that a
// concurrent message stays counted.
func putRead(ctx context.Context, tx *db.Tx, of, side, reader id.ID, upTo *id.ID, now time.Time) (int64, error) {
	n, err := db.Exec(ctx, tx, `
		UPDATE messages SET read_at = :now, read_by = :reader
		WHERE school_id = :school AND thread_id = :thread AND side_id <> :side AND read_at IS NULL`+
		db.When(upTo != nil, ` AND id <= :upto`),
		db.Args{"thread": of, "side": side, "reader": reader, "upto": upTo, "now": now})
	if err != nil || n == 0 {
		return n, err
	}
	_, err = db.Exec(ctx, tx, `
		UPDATE message_sides SET unread = unread - :n WHERE school_id = :school AND thread_id = :thread AND side_id = :side`,
		db.Args{"thread": of, "side": side, "n": n})
	return n, err
}
