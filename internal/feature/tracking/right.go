package tracking

import (
	"context"
	"errors"
	"slices"

	"homeroom/internal/feature/live"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// askTogether is the number of accounts per query.
const askTogether = 1000

// watcher is a socket in rooms of buses.
type watcher struct {
	so    *socketio.Socket
	who   actor.Actor
	buses []id.ID
}

// keepRooms is the live.Guard of bus rooms.
func (s *Service) keepRooms(ctx context.Context, school id.ID, present []live.Present) error {
	watching := map[actor.Role][]watcher{}
	for _, p := range present {
		if buses := busesOf(p.Socket, school); len(buses) > 0 {
			watching[p.Who.Role] = append(watching[p.Who.Role], watcher{p.Socket, p.Who, buses})
		}
	}
	var failed error
	for role, all := range watching {
		for some := range slices.Chunk(all, askTogether) {
			failed = errors.Join(failed, s.clear(ctx, school, role, some))
		}
	}
	return failed
}

// clear removes sockets of one role from the rooms of buses that they may no
// longer watch.
func (s *Service) clear(ctx context.Context, school id.ID, role actor.Role, all []watcher) error {
	users := make([]id.ID, len(all))
	for i, w := range all {
		users[i] = w.who.User
	}
	slices.Sort(users)
	sees, err := transport.Sight(ctx, s.DB.School(school), role, slices.Compact(users), s.Now())
	if err != nil {
		return err
	}
	var failed error
	for _, w := range all {
		for _, bus := range w.buses {
			if w.who.Can("transport", actor.Read) && sees(w.who.User, bus) {
				if w.who.Role != actor.SchoolAdmin {
					w.so.Leave(yardRoom(school, bus))
				}
				continue
			}
			leave(w.so, school, bus)
			failed = errors.Join(failed, live.TellLeft(w.so, joined{school, bus}))
		}
	}
	return failed
}
