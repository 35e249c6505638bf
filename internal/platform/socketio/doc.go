// Package socketio is a Socket.IO server (protocol v5, clients of version 3 and 4)
// on Engine.IO v4.
//
//	s, err := socketio.New(socketio.Config{Authenticate: …, Log: log})
//	s.On("join-bus-room", func(ctx context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
//		var in struct{ BusID id.ID }
//		if err := e.Bind(&in); err != nil {
//			return nil, err
//		}
//		return nil, so.Join("bus:" + string(in.BusID))
//	})
//	mux.Handle("/socket.io/", s)
//	s.To("bus:…").Volatile().Emit("bus-location", position)
//
// Config.Authenticate verifies a client's token and returns the user and the expiry.
// At that time the socket is disconnected, unless the event "authenticate" {token}
// has sent a new token of the same user. The client gets "token-expiring" a minute
// before.
//
// The events of one client are handled in order, in a goroutine that lives only while
// there are some. So a handler may block (on the database, on Socket.Ask) without
// delaying others. Its result is acknowledged as {ok: true, …}, an error as
// {ok: false, error: …} or, without an acknowledgement, as the event "exception".
//
// Broadcasts are encoded once and shared. Rooms span nodes through a Relay. The
// packages below: engine transports packets, ws frames.
package socketio
