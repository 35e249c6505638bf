package opt

import "encoding/json"

// Text is an optional text of a reply: "" is null in JSON. A column stores it as it is,
// and NULL is read as "". The API documentation shows a nullable string.
type Text string

var null = []byte("null")

// MarshalJSON writes the text, or null for "".
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return null, nil
	}
	return json.Marshal(string(t))
}
