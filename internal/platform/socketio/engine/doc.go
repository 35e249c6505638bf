// Package engine is an Engine.IO v4 server: sessions over long polling or WebSocket,
// the upgrade from one to the other, heartbeats, and a bounded send queue per client.
//
// A Session carries packets for a Receiver, which Config.Open creates for each one.
// Nothing blocks on a client: Session.Send writes what the network accepts at once and
// queues the rest. A client whose queue overflows loses the oldest droppable packets
// or, without any, its connection. An idle WebSocket session costs one parked
// goroutine, one timer and a buffer of 1 KiB.
//
// A session is a stranger until its Receiver trusts it, after authentication. The
// number of strangers is limited, in total and per address (strangers.go).
//
// server.go handles requests, polling.go and upgrade.go the two transports, session.go
// the life cycle, send.go the output, wire.go a WebSocket connection.
package engine
