package app

import (
	"runtime"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/access"
	"homeroom/internal/feature/announcement"
	"homeroom/internal/feature/attendance"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/event"
	"homeroom/internal/feature/exam"
	"homeroom/internal/feature/fee"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/leave"
	"homeroom/internal/feature/library"
	"homeroom/internal/feature/live"
	"homeroom/internal/feature/message"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/oneroster"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/report"
	"homeroom/internal/feature/school"
	"homeroom/internal/feature/search"
	"homeroom/internal/feature/system"
	"homeroom/internal/feature/timetable"
	"homeroom/internal/feature/tracking"
	"homeroom/internal/feature/transport"
	"homeroom/internal/feature/webhook"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/pdf"
	"homeroom/internal/platform/web"
)

// feature is a module of internal/feature. It may also have Workers() and
// Periodics() for the job queue.
type feature interface {
	Routes() []web.Route
}

// services are the services of all features.
type services struct {
	audit        *audit.Service
	reads        *audit.Reads
	access       *access.Service
	school       *school.Service
	identity     *identity.Service
	file         *file.Service
	people       *people.Service
	live         *live.Service
	academics    *academics.Service
	elective     *elective.Service
	notification *notification.Service
	timetable    *timetable.Service
	attendance   *attendance.Service
	leave        *leave.Service
	exam         *exam.Service
	announcement *announcement.Service
	event        *event.Service
	fee          *fee.Service
	library      *library.Service
	message      *message.Service
	transport    *transport.Service
	tracking     *tracking.Service
	report       *report.Service
	search       *search.Service
	system       *system.Service
	webhook      *webhook.Service
	oneroster    *oneroster.Service
}

// features lists the services, each after those it imports.
func (s services) features() []feature {
	return []feature{s.audit, s.reads, s.access, s.school, s.identity, s.file, s.people, s.academics, s.elective, s.notification,
		s.transport, s.timetable, s.attendance, s.leave, s.exam, s.announcement, s.event, s.fee, s.library, s.message, s.tracking, s.report,
		s.search, s.system, s.webhook, s.oneroster}
}

// hashSlots limits concurrent password hashing: one core stays free for other requests.
func hashSlots() int { return max(1, min(2, runtime.GOMAXPROCS(0)-1)) }

// otpPause is the minimum time between two sign-in codes to one phone. The demo has none.
func otpPause(c Config) time.Duration {
	if c.Demo {
		return 0
	}
	return time.Minute
}

// newServices creates and connects the services. A service has earlier ones as
// fields, and calls a later one through a small interface that it declares.
func (a *App) newServices() services {
	var s services
	fonts := &pdf.Fonts{}
	s.audit = &audit.Service{DB: a.DB, Now: a.Now, NewID: a.NewID, Keep: days(a.cfg.KeepAudit)}
	s.reads = audit.NewReads(audit.ReadsOptions{DB: a.DB, Now: a.Now, NewID: a.NewID, Log: a.Log, Kinds: auditedReads})
	s.access = &access.Service{DB: a.DB, Audit: s.audit, Now: a.Now, NewID: a.NewID}
	s.school = &school.Service{DB: a.DB, Audit: s.audit, Access: s.access, Now: a.Now, NewID: a.NewID}
	s.identity = identity.New(identity.Options{
		DB: a.DB, Audit: s.audit, Notify: a.Notify, Keys: a.Keys, Hasher: a.Hasher,
		Now: a.Now, NewID: a.NewID, Rand: a.Rand,
		OTPPerHour: a.cfg.RateOTP, OTPPause: otpPause(a.cfg), SessionLife: days(a.cfg.SessionDays),
		RequireSecondFactor: a.cfg.RequireSecondFactor, PublicURL: a.cfg.baseURL(a.cfg.Addr),
	})
	s.access.Users, s.school.Admins, s.identity.Schools = s.identity, s.identity, s.school
	s.file = a.newFiles(s)
	s.people = &people.Service{DB: a.DB, Accounts: s.identity, Files: s.file, Now: a.Now, NewID: a.NewID}
	s.live = a.newLive(s)
	s.academics = &academics.Service{DB: a.DB, Audit: s.audit, Photos: s.people.ShowPhotos, Now: a.Now, NewID: a.NewID}
	s.elective = &elective.Service{DB: a.DB, Audit: s.audit, Now: a.Now}
	s.notification = &notification.Service{DB: a.DB, Audit: s.audit, Out: a.Notify, Now: a.Now, NewID: a.NewID,
		PublicURL: a.cfg.baseURL(a.cfg.Addr)}
	s.transport = &transport.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Files: s.file, Now: a.Now, NewID: a.NewID}
	s.timetable = &timetable.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Now: a.Now, NewID: a.NewID, Rand: a.Rand,
		PublicURL: a.cfg.baseURL(a.cfg.Addr)}
	s.attendance = &attendance.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Now: a.Now, NewID: a.NewID,
		Keep: days(a.cfg.KeepAttendance)}
	s.leave = &leave.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Files: s.file, Now: a.Now, NewID: a.NewID,
		Marks: leaveMarks{s.attendance}, Cover: s.timetable, TellRides: s.transport.TellRides}
	s.exam = &exam.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Now: a.Now, NewID: a.NewID,
		Fonts: fonts, Files: s.file, Attendance: reportAttendance{s.attendance}}
	s.announcement = &announcement.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Files: s.file, Now: a.Now, NewID: a.NewID}
	s.event = &event.Service{DB: a.DB, Audit: s.audit, Now: a.Now, NewID: a.NewID}
	s.fee = &fee.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Now: a.Now, NewID: a.NewID, Fonts: fonts, Files: s.file}
	s.library = &library.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Now: a.Now, NewID: a.NewID, Fines: libraryFines{s.fee}}
	s.tracking = tracking.New(tracking.Options{DB: a.DB, Audit: s.audit, Transport: s.transport, Live: s.live, Now: a.Now, Log: a.Log,
		Keep: days(a.cfg.KeepTracks)})
	s.transport.Events, s.notification.Live = s.tracking, s.live
	s.message = &message.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Files: s.file, Now: a.Now, NewID: a.NewID, Log: a.Log,
		Live: s.live, Present: a.present}
	s.report = &report.Service{
		DB: a.DB, Now: a.Now, Requests: a.metrics.Requests, Demo: a.cfg.Demo, Files: s.file,
		Queue:     func() *jobs.Queue { return a.Queue }, // created later
		NeedCover: lessonsToCover{s.timetable}.list,
	}
	s.search = &search.Service{DB: a.DB}
	s.system = a.newSystem(s)
	s.webhook = webhook.New(webhook.Options{DB: a.DB, Audit: s.audit, Notify: s.notification, Keys: a.Keys, Now: a.Now, NewID: a.NewID,
		Rand: a.Rand, Log: a.Log, Keep: days(a.cfg.KeepWebhooks), Private: a.cfg.PrivateWebhooks})
	s.audit.Heard = s.webhook.Hear
	s.oneroster = &oneroster.Service{DB: a.DB, Audit: s.audit, Notify: s.notification, Keys: a.Keys, Now: a.Now, NewID: a.NewID,
		Rand: a.Rand, PublicURL: a.cfg.baseURL(a.cfg.Addr)}
	s.connect()
	s.connectFiles()
	return s
}

// demo returns the services that create the demo data.
func (s services) demo(a *App) demoServices {
	return demoServices{DB: a.DB, School: s.school, Identity: s.identity, People: s.people,
		Academics: s.academics, Electives: s.elective, Timetable: s.timetable, Transport: s.transport,
		Attendance: s.attendance, Announcements: s.announcement, Events: s.event, Messages: s.message,
		Exams: s.exam, Library: s.library, Leaves: s.leave, Fees: s.fee, Now: a.Now}
}
