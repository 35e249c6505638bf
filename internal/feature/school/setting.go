package school

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// Settings are a school's settings. To add one, add a field here and in Rules, a
// default in defaults, and a line in Change.apply.
type Settings struct {
	AttendanceLockDays  int   `json:"attendanceLockDays" doc:"Days after which only administrators can change attendance."`
	WeekendDays         []int `json:"weekendDays" doc:"Days of the week without school, 1 (Monday) to 7 (Sunday)."`
	StrongPINs          bool  `json:"strongPins" doc:"While true, PINs such as 1111, 1234 and 4321 are refused."`
	RequireSecondFactor bool  `json:"requireSecondFactor" doc:"While true, administrators need a second factor to sign in."`
	ClassTeacherMarks   bool  `json:"classTeacherMarks" doc:"While true, class teachers can enter marks of every subject of their class."`

	DateFormat clock.DateFormat `json:"dateFormat" enum:"YYYY-MM-DD,DD/MM/YYYY,MM/DD/YYYY" doc:"How imports read dates, beside YYYY-MM-DD, and how PDFs print them."`

	Voice
	Policy
	Place
}

// Voice are the settings of messages to people.
type Voice struct {
	PushDetails   bool     `json:"pushDetails" doc:"While false, pushes contain no names, marks or amounts, because locked screens show them."`
	DigestMinutes int      `json:"digestMinutes" doc:"After a push, further ones of the same kind are combined for these minutes. 0: never."`
	BrandColor    opt.Text `json:"brandColor" example:"#1f5f8b" doc:"The colour of e-mails; null for the default."`
	EmailFooter   opt.Text `json:"emailFooter" doc:"Text below every e-mail."`
}

func defaults() Settings {
	return Settings{AttendanceLockDays: 7, WeekendDays: []int{6, 7}, DateFormat: clock.ISO, Voice: Voice{DigestMinutes: 10},
		Policy: Policy{SMSTypes: []string{}, EmergencyContacts: []Contact{}}}
}

// stored is Settings as stored in the database. Settings that are missing in an old
// row get their defaults.
type stored Settings

// UnmarshalJSON implements json.Unmarshaler.
func (s *stored) UnmarshalJSON(raw []byte) error {
	v := defaults()
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("settings of a school: %w", err)
	}
	*s = stored(v)
	return nil
}

// Profile is a change of a school's name, contact and locale; nil fields stay.
type Profile struct {
	Name       *string        `json:"name" maxLength:"200" pattern:"\\S" patternHint:"must not be blank"`
	Phone      *string        `json:"phone" format:"phone" doc:"Empty to remove it."`
	Email      *string        `json:"email" format:"email" doc:"Empty to remove it."`
	Address    *string        `json:"address" maxLength:"500" multiline:"true"`
	Timezone   *string        `json:"timezone" format:"timezone" minLength:"1"`
	Currency   *string        `json:"currency" format:"currency" minLength:"1"`
	Locale     *string        `json:"locale" pattern:"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$" patternHint:"must be a language, such as en or pt-BR" example:"pt-BR"`
	LogoFileID web.Opt[id.ID] `json:"logoFileId" doc:"Null to remove it."`
}

// Rules is a change of a school's settings; nil fields stay.
type Rules struct {
	EvaluationMode      *bool  `json:"evaluationMode" doc:"While true, teachers can change only exams and results."`
	AttendanceLockDays  *int   `json:"attendanceLockDays" minimum:"0" maximum:"366" doc:"Days after which only administrators can change attendance."`
	WeekendDays         *[]int `json:"weekendDays" maxItems:"6" minimum:"1" maximum:"7" doc:"Days of the week without school, 1 (Monday) to 7 (Sunday)."`
	StrongPINs          *bool  `json:"strongPins" doc:"While true, PINs such as 1111, 1234 and 4321 are refused."`
	RequireSecondFactor *bool  `json:"requireSecondFactor" doc:"While true, administrators need a second factor to sign in."`
	ClassTeacherMarks   *bool  `json:"classTeacherMarks" doc:"While true, class teachers can enter marks of every subject of their class."`

	DateFormat *clock.DateFormat `json:"dateFormat" enum:"YYYY-MM-DD,DD/MM/YYYY,MM/DD/YYYY" doc:"How imports read dates, beside YYYY-MM-DD, and how PDFs print them."`

	PolicyChange
	PlaceChange

	PushDetails   *bool   `json:"pushDetails" doc:"While false, pushes contain no names, marks or amounts, because locked screens show them."`
	DigestMinutes *int    `json:"digestMinutes" minimum:"0" maximum:"60" doc:"After a push, further ones of the same kind are combined for these minutes. 0: never."`
	BrandColor    *string `json:"brandColor" pattern:"^(#[0-9A-Fa-f]{6})?$" patternHint:"must be a colour, such as #1f5f8b, or empty" example:"#1f5f8b" doc:"The colour of e-mails. Text on it is white or black."`
	EmailFooter   *string `json:"emailFooter" maxLength:"500" multiline:"true" doc:"Text below every e-mail."`
}

// Check validates the place, the weekend days and the policy of messages.
func (c *Rules) Check() error {
	if err := c.PlaceChange.check(); err != nil || c.WeekendDays == nil {
		return cmp.Or(err, c.PolicyChange.check())
	}
	for i, day := range *c.WeekendDays {
		if slices.Contains((*c.WeekendDays)[:i], day) {
			return fault.OnField(fmt.Sprintf("weekendDays[%d]", i), "is a duplicate")
		}
	}
	return c.PolicyChange.check()
}

// Change is a change of a school's record.
type Change struct {
	Code *string `json:"code" pattern:"^[A-Za-z0-9-]{2,32}$" patternHint:"must be 2 to 32 letters, digits and dashes"`
	Profile
	Rules
	Version *int `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

// apply returns the changed school.
func (c Change) apply(s School) School {
	opt.Set(&s.Code, c.Code)
	opt.Set(&s.Name, c.Name)
	opt.Set((*string)(&s.Phone), c.Phone)
	opt.Set((*string)(&s.Email), c.Email)
	opt.Set((*string)(&s.Address), c.Address)
	opt.Set(&s.Timezone, c.Timezone)
	opt.Set(&s.Currency, c.Currency)
	opt.Set(&s.Locale, c.Locale)
	opt.Set(&s.EvaluationMode, c.EvaluationMode)
	opt.Set(&s.AttendanceLockDays, c.AttendanceLockDays)
	opt.Set(&s.WeekendDays, c.WeekendDays)
	opt.Set(&s.StrongPINs, c.StrongPINs)
	opt.Set(&s.ClassTeacherMarks, c.ClassTeacherMarks)
	opt.Set(&s.RequireSecondFactor, c.RequireSecondFactor)
	opt.Set(&s.DateFormat, c.DateFormat)
	opt.Set(&s.PushDetails, c.PushDetails)
	opt.Set(&s.DigestMinutes, c.DigestMinutes)
	opt.Set((*string)(&s.BrandColor), c.BrandColor)
	opt.Set((*string)(&s.EmailFooter), c.EmailFooter)
	c.PolicyChange.apply(&s.Policy)
	c.PlaceChange.apply(&s.Place)
	switch {
	case c.LogoFileID.Null:
		s.LogoFileID = nil
	case c.LogoFileID.Set:
		s.LogoFileID = &c.LogoFileID.V
	}
	s.Code, s.Name = strings.ToUpper(s.Code), strings.TrimSpace(s.Name)
	return s
}

// Brand returns the layout of the school's e-mails; base is the public URL of the service.
func (s School) Brand(base string) text.Brand {
	b := text.Brand{School: s.Name, Color: string(s.BrandColor), Footer: string(s.EmailFooter)}
	if s.LogoFileID != nil {
		b.Logo = base + "/logo/" + s.ID.String() + "?v=" + s.LogoFileID.String() // v avoids a cached old logo
	}
	return b
}

// school returns the new school, with defaults for omitted fields.
func (in New) school(at id.ID, now time.Time) School {
	return School{
		ID: at, Name: strings.TrimSpace(in.Name), Code: strings.ToUpper(in.Code),
		Phone: opt.Text(in.Phone), Email: opt.Text(in.Email), Address: opt.Text(in.Address),
		Timezone: cmp.Or(in.Timezone, "UTC"), Currency: cmp.Or(in.Currency, "USD"), Locale: cmp.Or(in.Locale, "en"),
		Status: Active, Settings: defaults(),
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
}
