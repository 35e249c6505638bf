package notification

// Queries whose plans TestPlans checks.
const (
	ListSQL = `SELECT ` + notificationColumns + ` FROM notifications n WHERE n.school_id = :school AND n.user_id = :user AND ` + visible + `
		ORDER BY id DESC LIMIT 20`
	UnreadSQL = unreadOf
)
