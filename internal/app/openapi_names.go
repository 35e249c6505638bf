package app

import "homeroom/internal/platform/openapi"

// names are the names in the API documentation that its rules (platform/openapi/name.go)
// would not choose well. Generated clients have them as functions and types: a name that
// is in testdata/operations.txt stays.
var names = openapi.Names{
	Groups: []string{"transport", "library", "bus-tracking", "auth", "user-auth"},
	Operations: map[string]string{
		// Sign-in.
		"GET /auth/me":             "getMe",
		"POST /auth/refresh":       "refreshTokens",
		"POST /auth/second-factor": "completeSecondFactor",
		"POST /auth/setup":         "completeSetup",
		"POST /auth/switch":        "switchAccount",

		// The platform and the school.
		"GET /backup/{id}/file":     "downloadBackup",
		"POST /backup/{id}/link":    "createBackupLink",
		"GET /calendar/{token}.ics": "getCalendar",
		"GET /dashboard/setup":      "getSetupProgress",
		"GET /dashboard/today":      "getToday",
		"GET /file/{id}":            "downloadFile",
		"GET /search":               "search",
		"GET /setting":              "getSettings",
		"PUT /setting":              "updateSettings",

		// Logs.
		"GET /audit/list":     "listAuditEntries",
		"GET /audit/sign-ins": "listSignIns",

		// People.
		"POST /class/copy":                "copyClasses",
		"POST /class/reorder":             "reorderClasses",
		"POST /contact/change":            "proposeContactChange",
		"POST /employee/import":           "importEmployees",
		"POST /employee/{id}/assignments": "setEmployeeAssignments",
		"POST /employee/{id}/hand-over":   "handOverDuties",
		"POST /guardian/{id}/merge":       "mergeGuardians",
		"GET /student/{id}/data-export":   "exportStudentData",
		"POST /student/list":              "listStudents",
		"POST /student/get-students":      "getStudents",
		"POST /student/import":            "importStudents",
		"POST /student/promote":           "promoteStudents",
		"POST /student/promote/preview":   "previewPromotion",
		"POST /student/promote/undo":      "undoPromotion",
		"POST /student/renumber":          "renumberStudents",
		"POST /student/{id}/guardians":    "addStudentGuardian",

		// Attendance, leave and the timetable.
		"GET /attendance/absentees":            "listAbsentees",
		"GET /attendance/export":               "exportAttendance",
		"GET /attendance/list":                 "listAttendance",
		"POST /attendance/remind":              "remindOfAttendance",
		"POST /leave/apply":                    "applyForLeave",
		"GET /leave/list":                      "listLeave",
		"GET /leave/student-requests":          "listStudentLeave",
		"POST /timetable/calendar-link":        "createCalendarLink",
		"POST /timetable/calendar-link/revoke": "revokeCalendarLink",
		"GET /timetable/free-teachers":         "listFreeTeachers",
		"POST /timetable/override":             "createTimetableOverride",
		"GET /timetable/teacher":               "getTeacherTimetable",

		// Exams.
		"GET /exam/report-card":             "getReportCard",
		"GET /exam/report-card/{studentId}": "getReportCard",
		"GET /exam/report-cards":            "getReportCards",
		"GET /exam/schedule":                "listExamPapers",
		"GET /exam/schedule/list":           "listExamPapers",
		"POST /exam/result/upload":          "uploadExamResults",
		"GET /result/list":                  "listExamResults",
		"POST /result/upload":               "uploadExamResults",

		// Fees.
		"POST /fee/charge/generate":          "generateFeeCharges",
		"POST /fee/opening/import":           "importFeeOpenings",
		"POST /fee/reminder/preview":         "previewFeeReminders",
		"POST /fee/reminder/send":            "sendFeeReminders",
		"GET /fee/report/collection":         "getFeeCollectionReport",
		"GET /fee/report/collection/export":  "exportFeeCollectionReport",
		"GET /fee/report/dues":               "listFeeDues",
		"GET /fee/report/dues/export":        "exportFeeDues",
		"GET /fee/report/trial-balance":      "getTrialBalance",
		"GET /fee/report/{studentId}":        "getFeeStatement",
		"GET /fee/report/{studentId}/export": "exportFeeStatement",
		"GET /fee/student/{studentId}":       "getFeeProfile",
		"PUT /fee/student/{studentId}":       "updateFeeProfile",
		"GET /fee/till/mine":                 "getMyFeeTill",

		// The library.
		"POST /library/book/import":      "importBooks",
		"POST /library/book/{id}/copies": "addBookCopies",
		"PUT /library/copy/{id}":         "updateBookCopy",
		"POST /library/loan/lost":        "markLoanLost",
		"GET /library/rules":             "getLibraryRules",
		"PUT /library/rules":             "updateLibraryRules",

		// Transport.
		"GET /bus-tracking/bus/list":                                    "listVisibleBuses",
		"GET /bus-tracking/bus/{busId}/live":                            "getLiveBus",
		"GET /bus-tracking/incidents/{busId}":                           "listBusIncidents",
		"POST /bus-tracking/trips/{tripId}/locations":                   "uploadTripLocations",
		"POST /bus-tracking/trips/{tripId}/students/{studentId}/status": "recordBoarding",
		"GET /transport/list":                                           "listRides",
		"GET /transport/live":                                           "listLiveBuses",
		"POST /transport/trip/cancel":                                   "cancelTrips",
		"POST /transport/walk":                                          "setWalkingTime",

		// Events, messages and notifications.
		"POST /co-curricular/add-event":             "createEvent",
		"DELETE /co-curricular/delete-event/{id}":   "deleteEvent",
		"GET /co-curricular/get-events":             "listEvents",
		"PUT /co-curricular/update-event":           "updateEvent",
		"GET /message/thread/{id}":                  "listMessages",
		"POST /message/thread/{id}/read":            "markThreadRead",
		"GET /notification/delivered-notifications": "listNotifications",
		"GET /notification/push-key":                "getPushKey",
		"POST /notification/read":                   "markNotificationRead",
		"POST /notification/read-all":               "markAllNotificationsRead",
		"POST /notification/test":                   "sendTestNotification",
		"GET /notification/test/{id}":               "getTestNotification",
		"POST /notification/token":                  "registerDevice",
	},
}
