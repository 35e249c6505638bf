package wal

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"homeroom/internal/platform/blob"
)

// copyLog copies all transactions of the log that are new.
func (s *Shipper) copyLog(ctx context.Context) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	return s.take(ctx, func() error { return s.flush(ctx) })
}

// take moves the frames of all complete transactions that are new to the tail, in pieces of
// about chunk bytes, and calls taken after each. The log is searched for its end only once:
// under load it grows while it is copied.
func (s *Shipper) take(ctx context.Context, taken func() error) error {
	f, h, ok, err := openLog(s.wal.Path())
	switch {
	case err != nil:
		return err
	case !ok && s.pos.head == head{}:
		return nil // nothing was written yet
	case !ok:
		return errLost
	}
	defer f.Close()
	if err := s.follow(h); err != nil {
		return err
	}
	end, _, err := committed(f, s.pos)
	if err != nil || end.frames == s.pos.frames {
		return err
	}
	if s.loose { // now that the log has frames, a transaction can keep them
		if err := s.wal.Pin(ctx); err != nil {
			return err
		}
		s.loose = false
	}
	for s.pos.frames < end.frames {
		if err := s.takePiece(f, min(end.frames-s.pos.frames, max(1, chunk/h.frameSize()))); err != nil {
			return err
		}
		if err := taken(); err != nil {
			return err
		}
	}
	return nil
}

// takePiece moves the next n frames of the log f to the tail.
func (s *Shipper) takePiece(f io.ReaderAt, n int64) error {
	h := s.pos.head
	data := make([]byte, n*h.frameSize())
	if _, err := f.ReadAt(data, s.pos.offset()); err != nil {
		return fmt.Errorf("read the write-ahead log: %w", err)
	}
	s.at = later(s.at, s.Now())
	sum := binary.BigEndian.Uint64(data[(n-1)*h.frameSize()+16:])
	p := piece{segment: segment{place: s.place, start: s.pos.frames, frames: n, before: s.before, at: s.at, salt: h.salt(), sum: sum}}
	var err error
	if p.body, err = pack(h, p.segment, data); err != nil {
		return err
	}
	s.tail = append(s.tail, p)
	s.pos.frames, s.pos.sum = s.pos.frames+n, sum
	return nil
}

// follow accepts the header of the log: the same as before, or that of the next log.
func (s *Shipper) follow(h head) error {
	old := s.pos.head
	switch {
	case h == old:
		return nil
	case old == head{}:
	case s.loose && h.number() == old.number()+1 && uint32(h.salt()>>32) == uint32(old.salt()>>32)+1:
		s.merge()
		s.place.log++
		s.before = s.pos.frames
	default:
		return errLost
	}
	s.pos, s.log = position{h, 0, h.sum()}, []piece{}
	return nil
}

// pack compresses a record: the header of the log, time, number of frames, and the frames.
func pack(h head, p segment, data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	prefix := binary.BigEndian.AppendUint64(h[:], uint64(p.at.UnixMilli()))
	_, err = z.Write(binary.BigEndian.AppendUint64(prefix, uint64(p.frames)))
	if err == nil {
		_, err = z.Write(data)
	}
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// flush copies the tail, after the files that its rows may refer to.
func (s *Shipper) flush(ctx context.Context) error {
	if len(s.tail) == 0 {
		return nil
	}
	if err := s.copyFresh(ctx); err != nil {
		return err
	}
	for len(s.tail) > 0 {
		p := s.tail[0]
		p.key = p.name()
		if err := put(ctx, s.To, p.key, p.body); err != nil {
			return err
		}
		s.tail = s.tail[1:]
		if s.log != nil {
			if s.log = append(s.log, p); size(s.log) > tailLimit {
				s.log = nil
			}
		}
	}
	return nil
}

func put(ctx context.Context, to blob.Store, key string, body []byte) error {
	return to.Put(ctx, key, io.NewSectionReader(bytes.NewReader(body), 0, int64(len(body))))
}

func size(all []piece) (n int) {
	for _, p := range all {
		n += len(p.body)
	}
	return n
}

// merge replaces the blobs of a log that has ended by a single one: there may be one for
// every second. Compressed records can simply be joined.
func (s *Shipper) merge() {
	all := s.log
	if len(all) < 2 || all[0].start != 0 {
		return
	}
	s.background.Go(func() {
		s.blobs.Lock()
		defer s.blobs.Unlock()
		ctx, cancel := context.WithTimeout(s.life, attemptTime)
		defer cancel()
		whole := all[len(all)-1]
		whole.frames, whole.start, whole.body = whole.start+whole.frames, 0, nil
		keys := make([]string, len(all))
		for i, p := range all {
			whole.body, keys[i] = append(whole.body, p.body...), p.key
		}
		err := put(ctx, s.To, whole.name(), whole.body)
		if err == nil {
			err = s.To.Delete(ctx, keys...)
		}
		if err != nil {
			s.Log.Warn("segments of the continuous backup were not merged", "error", err) // restoring them works all the same
		}
	})
}

// shorten writes a long log to the database file, so that the next write begins a new one.
func (s *Shipper) shorten(ctx context.Context) error {
	if err := s.wal.Pin(ctx); err != nil { // further on, so that most is done while others write
		return err
	}
	if _, err := s.wal.Checkpoint(ctx); err != nil {
		return err
	}
	err := s.wal.Still(ctx, func() error {
		if err := s.takeRest(ctx); err != nil {
			return err
		}
		if err := s.wal.Pin(ctx); err != nil {
			return err
		}
		all, err := s.wal.Checkpoint(ctx)
		if err != nil || !all { // somebody reads an old state
			return err
		}
		// This transaction reads no log, so the next write may begin a new one. But as long as it
		// lasts, nobody can make a checkpoint of that one.
		s.loose = true
		return s.wal.Pin(ctx)
	})
	return errors.Join(err, s.flush(ctx))
}

var errTooMuch = errors.New("too much was written at once")

// takeRest takes all frames. It must not wait for the store: writers wait.
func (s *Shipper) takeRest(ctx context.Context) error {
	pieces := 0
	return s.take(ctx, func() error {
		if pieces++; pieces*chunk > tailLimit {
			return errTooMuch
		}
		return nil
	})
}
