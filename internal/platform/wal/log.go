package wal

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// SQLite's file format of the log: https://www.sqlite.org/fileformat2.html#walformat
const (
	headSize      = 32
	frameHeadSize = 24
	magic         = 0x377f0682 // the last bit says whether checksums are big-endian
)

// errLost means that the log does not continue what was copied: another program wrote it, or
// frames were overwritten before they were copied.
var errLost = errors.New("the write-ahead log does not continue its copy")

// head is the header of a log.
type head [headSize]byte

func (h head) pageSize() int64 { return int64(binary.BigEndian.Uint32(h[8:])) }
func (h head) frameSize() int64 {
	return frameHeadSize + h.pageSize()
}
func (h head) number() uint32 { return binary.BigEndian.Uint32(h[12:]) } // grows by one with each log of a file
func (h head) salt() uint64   { return binary.BigEndian.Uint64(h[16:]) } // the same in each frame
func (h head) sum() uint64    { return binary.BigEndian.Uint64(h[24:]) }

func (h head) order() binary.ByteOrder {
	if h[3]&1 == 1 {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (h head) valid() bool {
	return binary.BigEndian.Uint32(h[:])&^1 == magic && h.pageSize() >= 512 && checksum(h.order(), 0, h[:24]) == h.sum()
}

// checksum continues SQLite's checksum over b.
func checksum(order binary.ByteOrder, sum uint64, b []byte) uint64 {
	s0, s1 := uint32(sum>>32), uint32(sum)
	for ; len(b) >= 8; b = b[8:] {
		s0 += order.Uint32(b) + s1
		s1 += order.Uint32(b[4:]) + s0
	}
	return uint64(s0)<<32 | uint64(s1)
}

// position is a place between two frames of a log.
type position struct {
	head   head
	frames int64  // before it
	sum    uint64 // checksum of everything before it
}

func (p position) offset() int64 { return headSize + p.frames*p.head.frameSize() }

// openLog opens a log and reads its header. ok is false if it is empty.
func openLog(path string) (f *os.File, h head, ok bool, err error) {
	f, err = os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, h, false, nil
	}
	if err != nil {
		return nil, h, false, fmt.Errorf("read the write-ahead log: %w", err)
	}
	if _, err = f.ReadAt(h[:], 0); err != nil || !h.valid() { // being created
		_ = f.Close()
		return nil, h, false, nil
	}
	return f, h, true, nil
}

// committed returns the end of the last transaction after p. Frames before it don't change
// until SQLite begins the next log. intact counts the frames with a right checksum: it is
// larger than the end if the log stops within a transaction.
func committed(r io.ReaderAt, p position) (end position, intact int64, err error) {
	b := bufio.NewReaderSize(io.NewSectionReader(r, p.offset(), 1<<62), 1<<18)
	frame := make([]byte, p.head.frameSize())
	end = p
	for {
		if _, err := io.ReadFull(b, frame); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return end, p.frames, nil
		} else if err != nil {
			return end, p.frames, fmt.Errorf("read the write-ahead log: %w", err)
		}
		sum := checksum(p.head.order(), checksum(p.head.order(), p.sum, frame[:8]), frame[frameHeadSize:])
		if binary.BigEndian.Uint64(frame[8:]) != p.head.salt() || binary.BigEndian.Uint64(frame[16:]) != sum {
			return end, p.frames, nil // of an earlier log, or being written
		}
		p.frames, p.sum = p.frames+1, sum
		if binary.BigEndian.Uint32(frame[4:]) != 0 { // the last frame of a transaction
			end = p
		}
	}
}

// frameSum reads the checksum at the end of the first n frames; false if there are fewer.
func frameSum(r io.ReaderAt, h head, n int64) (uint64, bool) {
	if n == 0 {
		return h.sum(), true
	}
	var b [frameHeadSize]byte
	if _, err := r.ReadAt(b[:], headSize+(n-1)*h.frameSize()); err != nil {
		return 0, false
	}
	return binary.BigEndian.Uint64(b[16:]), binary.BigEndian.Uint64(b[8:]) == h.salt()
}
