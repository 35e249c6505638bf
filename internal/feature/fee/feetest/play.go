package feetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"homeroom/internal/platform/money"
)

// Client calls a service as a school administrator.
type Client struct {
	URL, Token string
	HTTP       *http.Client
}

// Object is a JSON object with numbers as json.Number.
type Object = map[string]any

// Call sends a data object and returns the response's data.
func (c Client) Call(ctx context.Context, method, path string, data any, headers ...string) (int, Object, error) {
	var body bytes.Buffer
	if data != nil {
		if err := json.NewEncoder(&body).Encode(Object{"data": data}); err != nil {
			return 0, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, &body)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+c.Token)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.HTTP.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	dec := json.NewDecoder(res.Body)
	dec.UseNumber()
	var out Object
	if err := dec.Decode(&out); err != nil {
		return res.StatusCode, nil, fmt.Errorf("%s %s: %d: %w", method, path, res.StatusCode, err)
	}
	if d, ok := out["data"].(Object); ok && res.StatusCode < 300 {
		out = d
	}
	return res.StatusCode, out, nil
}

// Amount parses a JSON number as money, without an upper limit.
func Amount(v any) money.Money {
	whole, decimals, _ := strings.Cut(fmt.Sprint(v), ".")
	n, err := strconv.ParseInt(whole+(decimals + "00")[:2], 10, 64)
	if err != nil || len(decimals) > 2 {
		return math.MinInt64 // not an amount: equals no other
	}
	return money.Money(n)
}

// Game configures Play.
type Game struct {
	Client
	Students       []string
	Months         []string // to charge the structures for, YYYY-MM
	Workers, Steps int
	Seed           uint64
}

// Result counts the steps of a game.
type Result struct {
	Steps, Refused int
	By             map[string]int // successful steps by move
	Cash           money.Money    // expected balance of cash and bank, from the responses
}

// table is the state that the players share.
type table struct {
	*Game
	mu                                                sync.Mutex
	receipts, charges, concessions, refunds, openings []string
	result                                            Result
}

// Play makes random payments, charges and reversals from concurrent workers. After
// every step it checks the trial balance and recomputes the student's statement.
func Play(ctx context.Context, g *Game) (Result, error) {
	t := &table{Game: g, result: Result{By: map[string]int{}}}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for w := range g.Workers {
		steps := g.Steps / g.Workers
		if w < g.Steps%g.Workers {
			steps++
		}
		wg.Go(func() {
			p := &player{table: t, rnd: rand.New(rand.NewPCG(g.Seed, uint64(w)))}
			for range steps {
				if err := p.step(ctx); err != nil {
					cancel(fmt.Errorf("worker %d: %w", w, err))
					return
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return t.result, err
	}
	return t.result, ctx.Err()
}

type player struct {
	*table
	rnd *rand.Rand
}

// move is one kind of step. It returns the student it changed.
type move struct {
	name   string
	weight int
	make   func(*player, context.Context) (student string, err error)
}

var moves = []move{
	{"charge", 20, (*player).charge}, {"generate", 6, (*player).generate}, {"pay", 30, (*player).pay}, {"family", 8, (*player).family},
	{"concede", 8, (*player).concede}, {"revoke", 4, (*player).revoke}, {"reverse", 10, (*player).reverse}, {"void", 6, (*player).void},
	{"refund", 5, (*player).refund}, {"unrefund", 3, (*player).unrefund}, {"open", 4, (*player).open}, {"cancel", 3, (*player).cancel},
}

func (p *player) step(ctx context.Context) error {
	total := 0
	for _, m := range moves {
		total += m.weight
	}
	n := p.rnd.IntN(total)
	for _, m := range moves {
		if n -= m.weight; n >= 0 {
			continue
		}
		student, err := m.make(p, ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		p.count(m.name, student != "")
		if student == "" {
			student = p.student()
		}
		return p.prove(ctx, student)
	}
	return nil
}

func (p *player) count(name string, done bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result.Steps++
	if done {
		p.result.By[name]++
	} else {
		p.result.Refused++
	}
}

const at = "/school-admin/fee/"

// do makes a call. It returns nil if another player was first (409, or 422 for a
// charge that is paid meanwhile).
func (p *player) do(ctx context.Context, path string, data Object) (Object, error) {
	status, out, err := p.Call(ctx, "POST", at+path, data)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusConflict || status == http.StatusUnprocessableEntity && strings.Contains(fmt.Sprint(out), "more than the"):
		return nil, nil
	case status >= 300:
		return nil, fmt.Errorf("%s: %d %v", path, status, out)
	}
	return out, nil
}

func (p *player) student() string { return p.Students[p.rnd.IntN(len(p.Students))] }

// amount is anything from one minor unit to 300.00.
func (p *player) amount() json.Number {
	return json.Number(money.Money(1 + p.rnd.IntN(30_000)).String())
}

func (p *player) keep(list *[]string, out Object) {
	if id, ok := out["id"].(string); ok {
		p.mu.Lock()
		defer p.mu.Unlock()
		*list = append(*list, id)
	}
}

func (p *player) pick(list *[]string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(*list) == 0 {
		return ""
	}
	return (*list)[p.rnd.IntN(len(*list))]
}

func (p *player) took(v any, sign money.Money) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result.Cash += sign * Amount(v)
}

var methods = []string{"CASH", "CHEQUE", "CARD", "UPI", "BANK_TRANSFER", "ONLINE"}

func (p *player) method() string { return methods[p.rnd.IntN(len(methods))] }

func (p *player) charge(ctx context.Context) (string, error) {
	student := p.student()
	out, err := p.do(ctx, "charge/create", Object{"studentId": student, "name": []string{"Trip", "Books", "Uniform"}[p.rnd.IntN(3)],
		"amount": p.amount()})
	p.keep(&p.charges, out)
	return student, err
}

func (p *player) generate(ctx context.Context) (string, error) {
	student := p.student()
	_, err := p.do(ctx, "charge/generate", Object{"studentIds": []string{student, p.student()}, "period": p.Months[p.rnd.IntN(len(p.Months))]})
	return student, err
}

func (p *player) pay(ctx context.Context) (string, error) {
	student := p.student()
	data := Object{"studentId": student, "amount": p.amount(), "method": p.method()}
	if p.rnd.IntN(3) == 0 { // allocate to an open charge, which another player may pay first
		status, out, err := p.Call(ctx, "GET", at+"charge/list?status=OPEN&limit=5&studentId="+student, nil)
		if err != nil || status != http.StatusOK {
			return "", fmt.Errorf("charge/list: %d %v %w", status, out, err)
		}
		if items, _ := out["items"].([]any); len(items) > 0 {
			c, _ := items[p.rnd.IntN(len(items))].(Object)
			part := min(Amount(c["due"]), Amount(data["amount"]))
			data["allocations"] = []any{Object{"chargeId": c["id"], "amount": json.Number(part.String())}}
		}
	}
	return p.receive(ctx, student, data)
}

func (p *player) family(ctx context.Context) (string, error) {
	one := p.rnd.IntN(len(p.Students))
	two := (one + 1 + p.rnd.IntN(len(p.Students)-1)) % len(p.Students)
	return p.receive(ctx, p.Students[one], Object{"method": p.method(), "payments": []any{
		Object{"studentId": p.Students[one], "amount": p.amount()}, Object{"studentId": p.Students[two], "amount": p.amount()}}})
}

func (p *player) receive(ctx context.Context, student string, data Object) (string, error) {
	out, err := p.do(ctx, "collection/record", data)
	if out == nil || err != nil {
		return "", err
	}
	p.keep(&p.receipts, out)
	p.took(out["amount"], 1)
	return student, nil
}

func (p *player) concede(ctx context.Context) (string, error) {
	student := p.student()
	data := Object{"studentId": student, "reason": "a sibling"}
	if p.rnd.IntN(2) == 0 {
		data["amount"] = p.amount()
	} else {
		data["percent"] = json.Number(money.Money(1 + p.rnd.IntN(5_000)).String())
	}
	out, err := p.do(ctx, "concession/grant", data)
	p.keep(&p.concessions, out)
	return student, err
}

func (p *player) revoke(ctx context.Context) (string, error) {
	out, err := p.undo(ctx, &p.concessions, "concession/%s/revoke")
	return text(out["studentId"]), err
}

func (p *player) void(ctx context.Context) (string, error) {
	out, err := p.undo(ctx, &p.charges, "charge/%s/void")
	return text(out["studentId"]), err
}

func (p *player) reverse(ctx context.Context) (string, error) {
	out, err := p.undo(ctx, &p.receipts, "collection/%s/reverse")
	if out == nil || err != nil {
		return "", err
	}
	p.took(out["amount"], -1)
	students, _ := out["students"].([]any)
	first, _ := students[0].(Object)
	return text(first["studentId"]), nil
}

func (p *player) refund(ctx context.Context) (string, error) {
	student := p.student()
	data := Object{"studentId": student, "method": p.method()}
	if p.rnd.IntN(2) == 0 {
		data["amount"] = p.amount()
	}
	out, err := p.do(ctx, "refund/create", data)
	if out == nil || err != nil {
		return "", err
	}
	p.keep(&p.refunds, out)
	p.took(out["amount"], -1)
	return student, nil
}

func (p *player) unrefund(ctx context.Context) (string, error) {
	out, err := p.undo(ctx, &p.refunds, "refund/%s/reverse")
	if out == nil || err != nil {
		return "", err
	}
	p.took(out["amount"], 1)
	return text(out["studentId"]), nil
}

// open enters an opening balance, unless the student has one.
func (p *player) open(ctx context.Context) (string, error) {
	student := p.student()
	out, err := p.do(ctx, "opening/create", Object{"studentId": student, []string{"owed", "advance"}[p.rnd.IntN(2)]: p.amount()})
	p.keep(&p.openings, out)
	return student, err
}

func (p *player) cancel(ctx context.Context) (string, error) {
	out, err := p.undo(ctx, &p.openings, "opening/%s/cancel")
	return text(out["studentId"]), err
}

// undo reverses a random record, which may already be reversed.
func (p *player) undo(ctx context.Context, list *[]string, path string) (Object, error) {
	id := p.pick(list)
	if id == "" {
		return nil, nil
	}
	return p.do(ctx, fmt.Sprintf(path, id), Object{"reason": "a mistake"})
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// prove checks the trial balance and recomputes a statement.
func (p *player) prove(ctx context.Context, student string) error {
	status, out, err := p.Call(ctx, "GET", at+"report/trial-balance", nil)
	if err != nil || status != http.StatusOK || Amount(out["difference"]) != 0 || Amount(out["debit"]) != Amount(out["credit"]) {
		return fmt.Errorf("the trial balance is not 0: %d %v %w", status, out, err)
	}
	status, out, err = p.Call(ctx, "GET", at+"report/"+student, nil)
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("statement: %d %v %w", status, out, err)
	}
	return Statement(out)
}

// Statement recomputes a statement from its entries and returns the first difference.
func Statement(st Object) error {
	var balance money.Money
	entries, _ := st["entries"].([]any)
	for i, e := range entries {
		e, _ := e.(Object)
		amount := Amount(e["amount"])
		if amount <= 0 {
			return fmt.Errorf("amount of entry %d is %s", i, amount)
		}
		if e["type"] == "CR" {
			amount = -amount
		}
		if balance += amount; balance != Amount(e["balance"]) {
			return fmt.Errorf("balance after entry %d: got %v, want %s: %v", i, e["balance"], balance, entries)
		}
	}
	totals, _ := st["totals"].(Object)
	if due, advance := Amount(totals["due"]), Amount(totals["advance"]); due-advance != balance || due != 0 && advance != 0 {
		return fmt.Errorf("due %s and advance %s, but the balance of the entries is %s", due, advance, balance)
	}
	return nil
}
