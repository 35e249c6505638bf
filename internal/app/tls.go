package app

import (
	"crypto/tls"
	"fmt"
	"sync/atomic"
)

// certificate is a TLS certificate that can be reloaded while in use.
type certificate struct {
	cert, key string // files
	current   atomic.Pointer[tls.Certificate]
}

func (c *certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("read the certificate: %w", err)
	}
	c.current.Store(&pair)
	return nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current.Load(), nil
		},
	}
}
