package school

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// Settings are the rules that a school sets for itself. To add one: a field
// here, its value at first in defaults, and a pointer to it in Rules and set.
type Settings struct {
	AttendanceLockDays  int   `json:"attendanceLockDays" doc:"After so many days only administrators change attendance."`
	WeekendDays         []int `json:"weekendDays" doc:"Days of the week without school, 1 (Monday) to 7 (Sunday)."`
	StrongPINs          bool  `json:"strongPins" doc:"While true, PINs that repeat one digit or count up or down are refused."`
	RequireSecondFactor bool  `json:"requireSecondFactor" doc:"While true, administrators sign in with a second factor, and set one up if they have none."`
	Voice
	SMSPerDay   int `json:"smsPerDay" doc:"Text messages that the school sends in a day at most, sign-in codes aside; the rest waits for the next. 0 = no limit of its own."`
	EmailPerDay int `json:"emailPerDay" doc:"The same for e-mails."`
}

// Voice is how a school speaks to people outside.
type Voice struct {
	PushDetails   bool   `json:"pushDetails" doc:"While false, a push names nobody and no mark or amount, for a locked screen shows it; the app has the details."`
	DigestMinutes int    `json:"digestMinutes" doc:"Of pushes of one kind to one topic the first leaves at once, and those of the next minutes together. 0 = each by itself."`
	BrandColor    string `json:"brandColor" example:"#1f5f8b" doc:"The colour of e-mails; empty for the service's own."`
	EmailFooter   string `json:"emailFooter" doc:"The school's own words below every e-mail."`
}

func defaults() Settings {
	return Settings{AttendanceLockDays: 7, WeekendDays: []int{6, 7}, Voice: Voice{DigestMinutes: 10}}
}

// stored is Settings as the database keeps them: a rule that is younger than the
// row has its default.
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

// Profile is a change of what a school is called and where it is; what is nil stays.
type Profile struct {
	Name       *string        `json:"name" maxLength:"200" pattern:"\\S" patternHint:"must not be blank"`
	Phone      *string        `json:"phone" format:"phone" doc:"Empty to remove it."`
	Email      *string        `json:"email" format:"email" doc:"Empty to remove it."`
	Address    *string        `json:"address" maxLength:"500" multiline:"true"`
	Timezone   *string        `json:"timezone" format:"timezone" minLength:"1"`
	Currency   *string        `json:"currency" format:"currency" minLength:"1"`
	Locale     *string        `json:"locale" pattern:"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$" patternHint:"must be a language, as en or pt-BR"`
	LogoFileID web.Opt[id.ID] `json:"logoFileId" doc:"Null to remove it."`
}

// Rules is a change of a school's settings; what is nil stays.
type Rules struct {
	EvaluationMode      *bool  `json:"evaluationMode" doc:"While true, teachers change only exams and results."`
	AttendanceLockDays  *int   `json:"attendanceLockDays" minimum:"0" maximum:"366" doc:"After so many days only administrators change attendance."`
	WeekendDays         *[]int `json:"weekendDays" maxItems:"6" doc:"Days of the week without school, 1 (Monday) to 7 (Sunday)."`
	StrongPINs          *bool  `json:"strongPins" doc:"While true, PINs that repeat one digit or count up or down are refused."`
	RequireSecondFactor *bool  `json:"requireSecondFactor" doc:"While true, administrators sign in with a second factor, and set one up if they have none."`

	SMSPerDay   *int `json:"smsPerDay" minimum:"0" maximum:"1000000" doc:"Text messages that the school sends in a day at most, sign-in codes aside; the rest waits for the next. 0 = no limit of its own."`
	EmailPerDay *int `json:"emailPerDay" minimum:"0" maximum:"1000000" doc:"The same for e-mails."`

	PushDetails   *bool   `json:"pushDetails" doc:"While false, a push names nobody and no mark or amount, for a locked screen shows it; the app has the details."`
	DigestMinutes *int    `json:"digestMinutes" minimum:"0" maximum:"60" doc:"Of pushes of one kind to one topic the first leaves at once, and those of the next minutes together. 0 = each by itself."`
	BrandColor    *string `json:"brandColor" pattern:"^(#[0-9A-Fa-f]{6})?$" patternHint:"must be a colour, as #1f5f8b, or empty" doc:"The colour of e-mails. Text on it is white or black, whichever reads better."`
	EmailFooter   *string `json:"emailFooter" maxLength:"500" multiline:"true" doc:"The school's own words below every e-mail."`
}

// Check implements web's check of the whole.
func (c *Rules) Check() error {
	if c.WeekendDays == nil {
		return nil
	}
	for i, day := range *c.WeekendDays {
		at := fmt.Sprintf("weekendDays[%d]", i)
		switch {
		case day < 1 || day > 7:
			return fault.OnField(at, "must be a day of the week, 1 (Monday) to 7 (Sunday)")
		case slices.Contains((*c.WeekendDays)[:i], day):
			return fault.OnField(at, "is there already")
		}
	}
	return nil
}

// Change is a change of a school's record.
type Change struct {
	Code *string `json:"code" pattern:"^[A-Za-z0-9-]{2,32}$" patternHint:"must be 2 to 32 letters, digits and dashes"`
	Profile
	Rules
	Version *int `json:"version" doc:"The version you read; 409 when it is no longer that."`
}

// apply returns the school as the change makes it.
func (c Change) apply(s School) School {
	opt.Set(&s.Code, c.Code)
	opt.Set(&s.Name, c.Name)
	opt.Set(&s.Phone, c.Phone)
	opt.Set(&s.Email, c.Email)
	opt.Set(&s.Address, c.Address)
	opt.Set(&s.Timezone, c.Timezone)
	opt.Set(&s.Currency, c.Currency)
	opt.Set(&s.Locale, c.Locale)
	opt.Set(&s.EvaluationMode, c.EvaluationMode)
	opt.Set(&s.AttendanceLockDays, c.AttendanceLockDays)
	opt.Set(&s.WeekendDays, c.WeekendDays)
	opt.Set(&s.SMSPerDay, c.SMSPerDay)
	opt.Set(&s.EmailPerDay, c.EmailPerDay)
	opt.Set(&s.StrongPINs, c.StrongPINs)
	opt.Set(&s.RequireSecondFactor, c.RequireSecondFactor)
	opt.Set(&s.PushDetails, c.PushDetails)
	opt.Set(&s.DigestMinutes, c.DigestMinutes)
	opt.Set(&s.BrandColor, c.BrandColor)
	opt.Set(&s.EmailFooter, c.EmailFooter)
	switch {
	case c.LogoFileID.Null:
		s.LogoFileID = nil
	case c.LogoFileID.Set:
		s.LogoFileID = &c.LogoFileID.V
	}
	s.Code, s.Name = strings.ToUpper(s.Code), strings.TrimSpace(s.Name)
	return s
}

// Brand is how the school's e-mails look; base is where the service can be reached.
func (s School) Brand(base string) text.Brand {
	b := text.Brand{School: s.Name, Color: s.BrandColor, Footer: s.EmailFooter}
	if s.LogoFileID != nil {
		b.Logo = base + "/logo/" + s.ID.String() + "?v=" + s.LogoFileID.String() // so that a new one is no old one from a cache
	}
	return b
}

// school is the record that New describes, with the defaults of what it leaves out.
func (in New) school(at id.ID, now time.Time) School {
	return School{
		ID: at, Name: strings.TrimSpace(in.Name), Code: strings.ToUpper(in.Code),
		Phone: in.Phone, Email: in.Email, Address: in.Address,
		Timezone: cmp.Or(in.Timezone, "UTC"), Currency: cmp.Or(in.Currency, "USD"), Locale: cmp.Or(in.Locale, "en"),
		Status: Active, Settings: defaults(),
		Version: 1, CreatedAt: now, UpdatedAt: now,
	}
}
