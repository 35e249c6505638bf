package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

const (
	saltSize   = 16
	recordSize = 4096 // what a push service must accept
	lastRecord = 2    // delimiter before the padding of the last record
)

// encrypt encrypts a payload for a browser with a new key pair (RFC 8291), padded to size
// bytes.
func encrypt(plain []byte, size int, to Subscription) ([]byte, error) {
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate a key: %w", err)
	}
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails
	return seal(plain, size, to, own, salt)
}

// seal writes one record of the content coding aes128gcm (RFC 8188).
func seal(plain []byte, size int, to Subscription, own *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	shared, err := own.ECDH(to.key)
	if err != nil {
		return nil, fmt.Errorf("agree on a key: %w", err)
	}
	public := own.PublicKey().Bytes()
	input, err := hkdf.Key(sha256.New, shared, to.auth, "WebPush: info\x00"+string(to.key.Bytes())+string(public), sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	key, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	nonce, err := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, fmt.Errorf("derive a nonce: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("encrypt: %w", err)
	}
	record := make([]byte, max(size, len(plain)+1))
	record[copy(record, plain)] = lastRecord
	out := binary.BigEndian.AppendUint32(append([]byte{}, salt...), recordSize)
	out = append(append(out, byte(len(public))), public...)
	return gcm.Seal(out, nonce, record, nil), nil
}
