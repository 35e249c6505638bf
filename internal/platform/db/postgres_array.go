package db

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"time"
)

// packed is an argument in binary format.
type packed []byte

// arrayOf encodes a column of many rows as one array argument: in binary format,
// which the server reads faster, or as text if a value is not of the column's type.
func arrayOf(oid uint32, column []any) any {
	const head = 20
	b := make([]byte, head, head+len(column)*24)
	binary.BigEndian.PutUint32(b, 1) // dimension
	binary.BigEndian.PutUint32(b[8:], oid)
	binary.BigEndian.PutUint32(b[12:], uint32(len(column)))
	binary.BigEndian.PutUint32(b[16:], 1) // lower bound
	var enc packer
	for _, v := range column {
		if v == nil {
			b[7] = 1 // has NULLs
			b = binary.BigEndian.AppendUint32(b, math.MaxUint32)
			continue
		}
		at := len(b)
		b = append(b, 0, 0, 0, 0)
		var ok bool
		if b, ok = enc.pack(b, oid, v); !ok {
			return column
		}
		binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	}
	return packed(b)
}

// packer caches the last parsed time: rows mostly share theirs.
type packer struct {
	text string
	n    int64
}

// pack appends a value in binary format. It returns false if the value does not match the type.
func (m *packer) pack(b []byte, oid uint32, v any) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		switch oid {
		case oidText:
			return append(b, v...), true
		case oidJSONB:
			return append(append(b, 1), v...), true
		case oidUUID:
			return packUUID(b, v)
		case oidTimestamptz:
			if v != m.text {
				t, err := time.Parse(liteTime, v)
				if err != nil {
					return b, false
				}
				m.text, m.n = v, t.UnixMicro()-pgEpoch
			}
			return binary.BigEndian.AppendUint64(b, uint64(m.n)), true
		}
	case time.Time:
		return binary.BigEndian.AppendUint64(b, uint64(v.UnixMicro()-pgEpoch)), oid == oidTimestamptz
	case int64:
		return binary.BigEndian.AppendUint64(b, uint64(v)), oid == oidInt8
	case float64:
		return binary.BigEndian.AppendUint64(b, math.Float64bits(v)), oid == oidFloat8
	case bool:
		if v {
			return append(b, 1), oid == oidBool
		}
		return append(b, 0), oid == oidBool
	}
	return b, false
}

func packUUID(b []byte, s string) ([]byte, bool) {
	if !isUUID(s) {
		return b, false // the server reports the error
	}
	var digits [32]byte
	n := copy(digits[:], s[:8])
	n += copy(digits[n:], s[9:13])
	n += copy(digits[n:], s[14:18])
	n += copy(digits[n:], s[19:23])
	copy(digits[n:], s[24:])
	b, err := hex.AppendDecode(b, digits[:])
	return b, err == nil
}
