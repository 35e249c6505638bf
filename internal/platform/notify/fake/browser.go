package fake

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Browser is a browser that subscribed to a PushService.
type Browser struct {
	Endpoint string
	Key      *ecdh.PrivateKey
	Auth     []byte

	server string // the key of the application server, base64url
	gone   bool
	got    []Push
}

// Push is a received push: the payload, its headers and its encrypted size.
type Push struct {
	ID, Title, Body, Lang, Path, Tag string
	Badge                            *int
	Data                             map[string]string

	TTL, Urgency, Topic string `json:"-"`
	Size                int    `json:"-"`
}

func newBrowser(endpoint, server string) *Browser {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		panic(err) // the curve is known
	}
	auth := make([]byte, 16)
	_, _ = rand.Read(auth) // never fails
	return &Browser{Endpoint: endpoint, Key: key, Auth: auth, server: server}
}

// JSON is what PushSubscription.toJSON() returns.
func (b *Browser) JSON() map[string]any {
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]any{"endpoint": b.Endpoint, "expirationTime": nil,
		"keys": map[string]any{"p256dh": encode(b.Key.PublicKey().Bytes()), "auth": encode(b.Auth)}}
}

// Decrypt decrypts the body of a push as RFC 8291 and RFC 8188 say. It shares no code with
// the sender.
func (b *Browser) Decrypt(body []byte) ([]byte, error) {
	if len(body) < 86 || body[20] != 65 {
		return nil, errors.New("the header is not that of a push")
	}
	salt, size, sender := body[:16], binary.BigEndian.Uint32(body[16:20]), body[21:86]
	record := body[86:]
	if size < 18 || len(record) > int(size) {
		return nil, fmt.Errorf("a record of %d bytes, want one of at most %d", len(record), size)
	}
	public, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := b.Key.ECDH(public)
	if err != nil {
		return nil, err
	}
	info := slices.Concat([]byte("WebPush: info\x00"), b.Key.PublicKey().Bytes(), sender)
	input := mac(mac(b.Auth, shared), append(info, 1)) // HKDF, whose output is one block
	extracted := mac(salt, input)
	key := mac(extracted, []byte("Content-Encoding: aes128gcm\x00\x01"))[:16]
	nonce := mac(extracted, []byte("Content-Encoding: nonce\x00\x01"))[:12]
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, nonce, record, nil)
	if err != nil {
		return nil, err
	}
	for i := len(plain) - 1; i >= 0; i-- {
		switch plain[i] {
		case 0: // padding
		case 2:
			return plain[:i], nil
		default:
			return nil, errors.New("the padding has no delimiter of a last record")
		}
	}
	return nil, errors.New("the record is only padding")
}

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}

// receive decrypts and keeps a push.
func (b *Browser) receive(r Request) error {
	plain, err := b.Decrypt([]byte(r.Body))
	if err != nil {
		return err
	}
	p := Push{TTL: r.Header.Get("TTL"), Urgency: r.Header.Get("Urgency"), Topic: r.Header.Get("Topic"), Size: len(r.Body)}
	if err := json.Unmarshal(plain, &p); err != nil {
		return err
	}
	b.got = append(b.got, p)
	return nil
}
