package school

import (
	"fmt"
	"slices"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
)

// Policy is what a school sends by SMS and e-mail, how much, and whom it calls in an
// emergency. Package notification applies it.
type Policy struct {
	SMSTypes          []string    `json:"smsTypes" enum:"ANNOUNCEMENT,ATTENDANCE,RESULT,FEE,LEAVE_REQUEST,MESSAGE,TRANSPORT,LIBRARY,TIMETABLE,CONTACT" doc:"Types of notification that go by SMS to everyone. Others go by SMS only to parents without the app."`
	SMSPerDay         int         `json:"smsPerDay" doc:"Maximum number of SMS a day without sign-in codes and urgent ones; the rest waits for the next day. 0: only the operator's limit."`
	EmailPerDay       int         `json:"emailPerDay" doc:"The same for e-mails."`
	SMSCost           money.Money `json:"smsCost" doc:"Price of one SMS in the school's currency, for estimates. 0: unknown."`
	EmergencyContacts []Contact   `json:"emergencyContacts" doc:"People who get an SMS and an e-mail in an emergency, such as a bus accident, beside the administrators."`
}

// Contact is someone to call, who needs no account.
type Contact struct {
	Name  string   `json:"name" required:"true" maxLength:"200" example:"Headmistress"`
	Phone string   `json:"phone" required:"true" format:"phone"`
	Email opt.Text `json:"email" format:"email"`
}

// PolicyChange is a change of a school's Policy; nil fields stay.
type PolicyChange struct {
	SMSTypes          *[]string    `json:"smsTypes" maxItems:"10" enum:"ANNOUNCEMENT,ATTENDANCE,RESULT,FEE,LEAVE_REQUEST,MESSAGE,TRANSPORT,LIBRARY,TIMETABLE,CONTACT" doc:"Types of notification that go by SMS to everyone. Others go by SMS only to parents without the app."`
	SMSPerDay         *int         `json:"smsPerDay" minimum:"0" maximum:"1000000" doc:"Maximum number of SMS a day without sign-in codes and urgent ones; the rest waits for the next day. 0: only the operator's limit."`
	EmailPerDay       *int         `json:"emailPerDay" minimum:"0" maximum:"1000000" doc:"The same for e-mails."`
	SMSCost           *money.Money `json:"smsCost" doc:"Price of one SMS in the school's currency, for estimates. 0: unknown."`
	EmergencyContacts *[]Contact   `json:"emergencyContacts" maxItems:"20" doc:"People who get an SMS and an e-mail in an emergency, such as a bus accident, beside the administrators. Replaces the list."`
}

func (c PolicyChange) check() error {
	for i, of := range opt.Value(c.SMSTypes) {
		if slices.Contains((*c.SMSTypes)[:i], of) {
			return fault.OnField(fmt.Sprintf("smsTypes[%d]", i), "is a duplicate")
		}
	}
	for i, one := range opt.Value(c.EmergencyContacts) {
		if slices.ContainsFunc((*c.EmergencyContacts)[:i], func(o Contact) bool { return o.Phone == one.Phone }) {
			return fault.OnField(fmt.Sprintf("emergencyContacts[%d].phone", i), "is a duplicate")
		}
	}
	return nil
}

func (c PolicyChange) apply(p *Policy) {
	opt.Set(&p.SMSTypes, c.SMSTypes)
	opt.Set(&p.SMSPerDay, c.SMSPerDay)
	opt.Set(&p.EmailPerDay, c.EmailPerDay)
	opt.Set(&p.SMSCost, c.SMSCost)
	opt.Set(&p.EmergencyContacts, c.EmergencyContacts)
}
