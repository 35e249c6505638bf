package clock

import "bytes"

// Stamp is the layout of timestamps in replies.
const Stamp = "2006-01-02T15:04:05.000Z07:00"

// Millis returns JSON in which every timestamp in UTC has three fraction digits, which
// encoding/json drops if they are zero: 08:05:00Z becomes 08:05:00.000Z. A timestamp is a
// whole string.
func Millis(json []byte) []byte {
	var out []byte
	done := 0
	for at := 0; ; {
		i := bytes.Index(json[at:], []byte(`Z"`))
		if i < 0 {
			break
		}
		end := at + i
		at = end + 2
		point := end // where the fraction begins, or would
		for point > 0 && isDigit(json[point-1]) {
			point--
		}
		if point == 0 || json[point-1] != '.' {
			point = end
		} else {
			point--
		}
		if end-point == len(".000") || !isStamp(json[:point]) {
			continue
		}
		fraction := append([]byte("."), json[min(point+1, end):end]...)
		fraction = append(fraction, "000"...)
		out = append(append(out, json[done:point]...), fraction[:4]...)
		done = end
	}
	if done == 0 {
		return json
	}
	return append(out, json[done:]...)
}

// isStamp reports whether b ends with a string that begins as a date and a time of day.
func isStamp(b []byte) bool {
	const form = `"0000-00-00T00:00:00`
	start := len(b) - len(form)
	if start < 0 || start > 0 && b[start-1] == '\\' { // an escaped quote is part of a text
		return false
	}
	for i := range len(form) {
		if c := b[start+i]; form[i] == '0' && !isDigit(c) || form[i] != '0' && c != form[i] {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
