package notification

import (
	"fmt"
	"maps"
	"strings"

	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// tallied is the data of a waiting digest with its news: record/student, separated by
// spaces. It is not sent.
const tallied = "tally"

func digestOf(of Type, n int) text.Text { return text.T("push.digest."+string(of), "count", n) }

func (w window) tally() string {
	news := make([]string, len(w))
	for i, s := range w {
		news[i] = opt.Value(s.RecordID).String() + "/" + opt.Value(s.StudentID).String()
	}
	return strings.Join(news, " ")
}

// split returns the messages that the news of a digest would be alone, or the message if it is no digest.
func split(m notify.Message) []notify.Message {
	if m.Data[tallied] == "" {
		return []notify.Message{m}
	}
	var out []notify.Message
	for i, news := range strings.Fields(m.Data[tallied]) {
		record, student, _ := strings.Cut(news, "/")
		one := m
		one.ID, one.Data = id.ID(fmt.Sprint(m.ID, "/", i)), maps.Clone(m.Data)
		delete(one.Data, tallied)
		delete(one.Data, "studentId")
		if one.Data["id"] = record; student != "" {
			one.Data["studentId"] = student
		}
		out = append(out, one)
	}
	return out
}

// sum returns the digest of what is left of its news.
func sum(m notify.Message, left []notify.Message) notify.Message {
	m.Data = left[len(left)-1].Data
	m.Body = text.Standard().Say(m.Lang, digestOf(Type(m.Data["type"]), len(left)))
	return m
}
