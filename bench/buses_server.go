package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/socketio"
)

const busSecret = "bench-secret"

func busToken(user, role string) (string, error) {
	claims := jwt.MapClaims{"sub": user, "role": role, "exp": time.Now().Add(time.Hour).Unix()}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(busSecret))
}

// serveBuses serves the job with our Socket.IO server, as a child process: it
// prints its address and serves until it is killed.
func serveBuses() error {
	s, err := socketio.New(socketio.Config{Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Authenticate: busRider})
	if err != nil {
		return err
	}
	s.On("join-bus-room", func(_ context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
		var in struct{ SchoolID, BusID string }
		if err := e.Bind(&in); err != nil {
			return nil, err
		}
		who := so.Principal().(*rider)
		who.bus, who.room = in.BusID, in.SchoolID+":"+in.BusID
		return struct{}{}, so.Join(who.room)
	})
	s.On("update-location", func(_ context.Context, so *socketio.Socket, e socketio.Event) (any, error) {
		who := so.Principal().(*rider)
		if who.role != "driver" || who.room == "" {
			return nil, fault.Denied("Only the driver can report positions.")
		}
		at := location{BusID: who.bus}
		if err := e.Bind(&at); err != nil {
			return nil, err
		}
		return struct{}{}, s.To(who.room).Volatile().Emit("bus-location", at)
	})
	mux := http.NewServeMux()
	mux.Handle("/socket.io/", s)
	mux.HandleFunc("/gc", func(http.ResponseWriter, *http.Request) { debug.FreeOSMemory() })
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	return http.Serve(ln, mux)
}

type rider struct{ role, bus, room string }

type location struct {
	BusID     string  `json:"busId"`
	Lat       float64 `json:"lat"`
	Lng       float64 `json:"lng"`
	Speed     float64 `json:"speed"`
	Heading   float64 `json:"heading"`
	Timestamp int64   `json:"timestamp"`
	Seq       int64   `json:"seq"`
}

func busRider(_ context.Context, h socketio.Handshake) (socketio.Identity, error) {
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(h.Token, claims, func(*jwt.Token) (any, error) { return []byte(busSecret), nil },
		jwt.WithValidMethods([]string{"HS256"}))
	if err != nil {
		return socketio.Identity{}, fault.New(fault.Unauthenticated, "", "Sign in first.").Because(err)
	}
	expires, err := claims.GetExpirationTime()
	if err != nil {
		return socketio.Identity{}, err
	}
	user, _ := claims["sub"].(string)
	role, _ := claims["role"].(string)
	return socketio.Identity{User: user, Expires: expires.Time, Principal: &rider{role: role}}, nil
}

// busServer is a server to measure.
type busServer struct {
	name, url string
	cmd       *exec.Cmd
}

// servers start each server to measure, Node's last.
var servers = []func(context.Context) (*busServer, error){
	func(ctx context.Context) (*busServer, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return startBuses(ctx, "homeroom socketio", exec.CommandContext(ctx, self, "buses-server"))
	},
	func(ctx context.Context) (*busServer, error) {
		const dir = "bench/node"
		if err := installPackages(ctx, dir); err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, "node", "--expose-gc", "server.mjs")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "SECRET="+busSecret, "NODE_ENV=production")
		return startBuses(ctx, "Node socket.io 4", cmd)
	},
}

// installPackages installs the npm packages of a directory unless they are there.
func installPackages(ctx context.Context, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return nil
	}
	install := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s, run from the root of the repository: %w\n%s", dir, err, out)
	}
	return nil
}

func startBuses(ctx context.Context, name string, cmd *exec.Cmd) (*busServer, error) {
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &busServer{name: name, cmd: cmd}
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%s did not start: %w", name, errors.Join(err, ctx.Err()))
	}
	s.url = "http://" + strings.TrimSpace(addr) + "/socket.io/"
	return s, nil
}

func (s *busServer) stop() {
	_ = s.cmd.Process.Kill() // fails if it has ended by itself
	_ = s.cmd.Wait()         // killed
}

// cpuSeconds returns the CPU time of the server, or 0 on systems without /proc.
func (s *busServer) cpuSeconds() float64 { return cpuSeconds(s.cmd.Process.Pid) }

func cpuSeconds(pid int) float64 {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var total float64
	for _, t := range threads {
		raw, _ := os.ReadFile(t)
		ran, _, _ := strings.Cut(string(raw), " ")
		ns, _ := strconv.ParseFloat(ran, 64)
		total += ns / 1e9
	}
	return total
}

// memory returns the server's RSS in KiB, or 0 on systems without /proc.
func (s *busServer) memory() float64 {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseFloat(fields[0], 64)
	return kib
}

// collect runs the server's garbage collector.
func (s *busServer) collect(ctx context.Context) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(s.url, "socket.io/")+"gc", nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		res.Body.Close()
		time.Sleep(300 * time.Millisecond)
	}
	return nil
}
