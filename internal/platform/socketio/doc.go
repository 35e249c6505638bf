// Package socketio is a Socket.IO v5 server (protocol 5, clients of version 3
// and 4) on Engine.IO v4.
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
// A client is known before it gets in: Config.Authenticate takes its token and
// says who it is and until when. When that time comes the socket is disconnected,
// unless the event "authenticate" {token} brought a fresh token of the same user.
//
// The events of one client are handled one after another, in a goroutine that
// lives only while there are some, so a handler may wait (for the database, for
// Socket.Ask) without holding anyone else up. A handler's result answers the
// acknowledgement as {ok: true, …}; an error as {ok: false, error: …}, or, where
// none was asked for, as the event "exception".
//
// Broadcasts are encoded once and shared. Rooms span nodes through a Relay. The
// layers below: engine carries packets, ws frames.
package socketio
