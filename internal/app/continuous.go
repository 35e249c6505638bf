package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/wal"
)

// continuousDir has the continuous backup within the directory of backups.
const continuousDir = "continuous"

// Check adds every invalid setting to p.
func (b Backups) Check(p Problems) {
	p.unless(b.BackupKeep >= 0, "backup-keep", "is %d: use a whole number, or 0 to keep all", b.BackupKeep)
	p.unless(b.BackupEvery == 0 || b.BackupEvery >= time.Hour, "backup-every", "is %s: use an hour or more, such as 24h, or 0s", b.BackupEvery)
	if b.BackupS3Bucket == "" {
		p.unless(!b.BackupContinuous || b.BackupDir != "", "backup-continuous",
			"needs a place that is not lost with this machine: set --backup-s3-bucket, or --backup-dir to a directory on another disk")
		return
	}
	p.unless(b.BackupS3AccessKey != "", "backup-s3-access-key", "is missing: create one at the S3 service")
	p.unless(b.BackupS3SecretKey != "", "backup-s3-secret-key", "is missing: it belongs to the access key")
	if _, err := blob.OpenS3(b.bucket()); err != nil {
		p.Add("backup-s3-endpoint", "can't be used: %v", err)
	}
}

func (b Backups) bucket() blob.S3Options {
	return blob.S3Options{Endpoint: b.BackupS3Endpoint, Bucket: b.BackupS3Bucket, Region: b.BackupS3Region,
		AccessKey: b.BackupS3AccessKey, SecretKey: string(b.BackupS3SecretKey), PathStyle: b.BackupS3PathStyle}
}

// openPlace opens the place of the continuous backup: the bucket, or a directory of dir.
func (b Backups) openPlace(dir string) (blob.Store, error) {
	if b.BackupS3Bucket != "" {
		return blob.OpenS3(b.bucket())
	}
	return blob.OpenDisk(filepath.Join(dir, continuousDir))
}

// openShipper prepares the continuous backup, if it is on.
func (a *App) openShipper() error {
	if !a.cfg.BackupContinuous {
		return nil
	}
	to, err := a.cfg.openPlace(a.cfg.backupDir())
	if err != nil {
		return fmt.Errorf("open the continuous backup: %w", err)
	}
	o := wal.Options{DB: a.DB, To: to, Dir: a.cfg.home(), Days: a.cfg.BackupKeep, Free: freeSpace, Now: a.Now, Log: a.Log}
	if a.cfg.Keys == "" {
		o.Keys = a.cfg.KeysFile()
	}
	a.shipper = wal.New(o)
	return nil
}

// backupBehind is the age of the oldest change that the continuous backup may lack; 0 if it is off.
func (a *App) backupBehind() time.Duration {
	if a.shipper == nil {
		return 0
	}
	return max(0, a.Now().Sub(a.shipper.Status().Copied))
}

// mostBehind is how far the continuous backup may be behind.
const mostBehind = 10 * time.Second

// backupState describes the backups for /readyz, in a word or two.
func (a *App) backupState() string {
	switch {
	case a.shipper == nil && a.cfg.BackupEvery == 0:
		return "off"
	case a.shipper == nil:
		return "on schedule"
	case a.backupBehind() > mostBehind:
		return "the continuous backup is behind"
	case a.shipper.Status().Damage != nil:
		return "the continuous backup is damaged"
	}
	return "ok"
}

// continuous opens the continuous backup of the settings for reading. It creates nothing.
func (s Store) continuous(b Backups) (blob.Store, error) {
	dir := cmp.Or(b.BackupDir, s.file(backupsDir))
	if _, err := os.Stat(filepath.Join(dir, continuousDir)); err != nil && b.BackupS3Bucket == "" {
		return nil, fmt.Errorf("there is no continuous backup in %s: name its place with --backup-dir or --backup-s3-bucket (%w)", dir, err)
	}
	return b.openPlace(dir)
}

// RestoreAt replaces the store's data with the continuous backup as it was at a moment; zero:
// the last. It returns a message for the terminal.
func RestoreAt(ctx context.Context, s Store, b Backups, at time.Time, a Archive) (string, error) {
	if s.URL().Engine() != "sqlite" {
		return "", errors.New("PostgreSQL has no continuous backup: name a file, or restore a moment with pgBackRest, as docs/backup.md shows")
	}
	from, err := s.continuous(b)
	if err != nil {
		return "", err
	}
	work, done, err := s.beginRestore()
	if err != nil {
		return "", err
	}
	defer done()
	keys := filepath.Join(work, keysFile)
	out, err := wal.Restore(ctx, from, at, filepath.Join(work, databaseFile), keys, filepath.Join(work, filesDir), a.Log)
	if err == nil && s.Keys != "" {
		err = remove(keys)
	}
	if err == nil {
		err = s.restoreSQLite(ctx, a, work)
	}
	if err != nil {
		return "", err
	}
	said := fmt.Sprintf("%s now contains the data of %s, and %d uploaded files.", s.URL(),
		out.At.Format("2 January 2006 at 15:04:05 UTC"), out.Files)
	if out.Problem != nil {
		said += fmt.Sprintf("\nThe backup goes on after that, but is damaged: %v.", out.Problem)
	}
	return said, nil
}

const archivePrefix = "archive/"

// upload copies a backup to the bucket, if there is one, and deletes old ones there.
func (b Backups) upload(ctx context.Context, file string) error {
	if b.BackupS3Bucket == "" {
		return nil
	}
	to, err := blob.OpenS3(b.bucket())
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := to.Put(ctx, archivePrefix+filepath.Base(file), io.NewSectionReader(f, 0, info.Size())); err != nil {
		return fmt.Errorf("copy the backup to S3: %w", err)
	}
	var all []string // their names begin with the time
	err = to.Walk(ctx, func(o blob.Blob) error {
		if strings.HasPrefix(o.Key, archivePrefix) {
			all = append(all, o.Key)
		}
		return nil
	})
	if err != nil || b.BackupKeep == 0 || len(all) <= b.BackupKeep {
		return err
	}
	slices.Sort(all)
	return to.Delete(ctx, all[:len(all)-b.BackupKeep]...)
}
