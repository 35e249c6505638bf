package db

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"time"
)

// Type OIDs. formatOf says which are read in binary format.
const (
	oidBool        = 16
	oidInt8        = 20
	oidInt2        = 21
	oidInt4        = 23
	oidFloat4      = 700
	oidFloat8      = 701
	oidText        = 25
	oidJSONB       = 3802
	oidTimestamptz = 1184
	oidUUID        = 2950
)

func formatOf(oid uint32) int16 {
	switch oid {
	case oidBool, oidInt8, oidInt2, oidInt4, oidFloat4, oidFloat8, oidTimestamptz, oidUUID:
		return 1
	}
	return 0
}

// pgEpoch is 2000-01-01, the epoch of PostgreSQL's timestamps, in microseconds since 1970.
const pgEpoch = 946684800 * 1e6

// fromPostgres decodes one column. scratch holds the text of UUIDs.
func fromPostgres(oid uint32, raw, scratch []byte) (value, []byte) {
	if raw == nil {
		return value{}, scratch
	}
	switch oid {
	case oidBool:
		return value{kind: boolean, n: int64(raw[0])}, scratch
	case oidInt8:
		return value{kind: integer, n: int64(binary.BigEndian.Uint64(raw))}, scratch
	case oidInt4:
		return value{kind: integer, n: int64(int32(binary.BigEndian.Uint32(raw)))}, scratch
	case oidInt2:
		return value{kind: integer, n: int64(int16(binary.BigEndian.Uint16(raw)))}, scratch
	case oidFloat8:
		return value{kind: float, f: math.Float64frombits(binary.BigEndian.Uint64(raw))}, scratch
	case oidFloat4:
		return value{kind: float, f: float64(math.Float32frombits(binary.BigEndian.Uint32(raw)))}, scratch
	case oidTimestamptz:
		return value{kind: timestamp, n: int64(binary.BigEndian.Uint64(raw)) + pgEpoch}, scratch
	case oidUUID:
		start := len(scratch)
		scratch = appendUUID(scratch, raw)
		return value{kind: str, raw: scratch[start:]}, scratch
	}
	return value{kind: str, raw: raw}, scratch
}

func appendUUID(b, raw []byte) []byte {
	for i, end := range [...]int{4, 6, 8, 10, 16} {
		start := [...]int{0, 4, 6, 8, 10}[i]
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, raw[start:end])
	}
	return b
}

// encode writes values in text format, so that the server can convert each to the
// type that the statement needs. Arrays may be packed in binary format.
func (x *exchange) encode(values []any) (out [][]byte, formats []int16) {
	if len(values) == 0 {
		return nil, nil
	}
	out = make([][]byte, len(values))
	for i, v := range values {
		if v == nil {
			continue
		}
		if b, ok := v.(packed); ok {
			if formats == nil {
				formats = make([]int16, len(values))
			}
			out[i], formats[i] = b, 1
			continue
		}
		start := len(x.buf)
		x.buf = appendPlain(x.buf, v)
		out[i] = x.buf[start:len(x.buf):len(x.buf)]
		if out[i] == nil {
			out[i] = []byte{} // "" is not NULL
		}
	}
	return out, formats
}

func appendPlain(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return append(b, v...)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case bool:
		return strconv.AppendBool(b, v)
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case time.Time:
		return v.AppendFormat(b, liteTime)
	case []any:
		b = append(b, '{')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if e == nil {
				b = append(b, "NULL"...)
				continue
			}
			b = appendElement(b, e)
		}
		return append(b, '}')
	}
	return b
}

// appendElement writes an element of an array literal; strings are quoted.
func appendElement(b []byte, v any) []byte {
	s, ok := v.(string)
	if !ok {
		return appendPlain(b, v)
	}
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}
