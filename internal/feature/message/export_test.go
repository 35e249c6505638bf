package message

// Frequent statements, for TestPlans.
var (
	newest          = ` ORDER BY m.last_message_id DESC, m.thread_id DESC LIMIT 20`
	ThreadsSQL      = `SELECT m.thread_id FROM ` + filter{}.from(true) + newest
	UnreadOnlySQL   = `SELECT m.thread_id FROM ` + filter{Unread: new(true)}.from(true) + newest
	CountThreadsSQL = `SELECT count(*) FROM ` + filter{}.from(true)
	ShownSQL        = `SELECT ` + threadColumns + ` FROM ` + threadFrom + ` AND m.thread_id IN (:ids)`
	MessagesSQL     = `SELECT ` + messageColumns + ` FROM ` + messageFrom + ` AND m.thread_id = :thread AND m.id < :before
		ORDER BY m.id DESC LIMIT 20`
	CountSQL       = `SELECT count(*) FROM ` + messageFrom + ` AND m.thread_id = :thread`
	CountUnreadSQL = countUnreadSQL
	ChildrenSQL    = childrenOfAccounts
)
