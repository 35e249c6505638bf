// Package engine is an Engine.IO v4 server: sessions over long polling or
// WebSocket, the upgrade from one to the other, heartbeats, and a bounded queue
// of what each client has yet to take.
//
// A Session carries packets for a Receiver, which the caller of New makes for
// each one. Nobody ever waits for a client: Session.Send writes what the network
// takes at once and queues the rest. A client that lets its queue run over
// loses the oldest packets that may be lost and, where there are none, its
// connection. On WebSocket an idle session costs one parked goroutine, one timer
// and a buffer of 1 KiB.
//
// A session is a stranger until its Receiver trusts it. Strangers have so many
// places, of which one address has a share (strangers.go).
//
// The files: server.go takes requests in, polling.go and upgrade.go are the two
// ways to speak, session.go is the life of a session, send.go its way out,
// wire.go a WebSocket connection.
package engine
