package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"

	"homeroom/internal/feature/fee/feetest"
)

// payments measures a statement of 60 entries and a payment.
func payments(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Call | Calls/s | p50 | p99 |")
	fmt.Println("|---|---|---:|---:|---:|")
	for _, t := range l.targets {
		b, t, err := l.bursary(ctx, t, "pay", 5)
		if err != nil {
			return err
		}
		err = b.measure(ctx, l, t)
		b.Server.Kill()
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bursar) measure(ctx context.Context, l *lab, t target) error {
	holder, err := b.owing(ctx)
	if err != nil {
		return err
	}
	if err := l.analyze(ctx, t); err != nil {
		return err
	}
	u, err := url.Parse(b.URL)
	if err != nil {
		return err
	}
	statement := get(feePath+"report/"+holder, b.token)
	for _, call := range []struct {
		name string
		next func() []byte
	}{
		{"statement of 60 entries", func() []byte { return statement }},
		{"payment", b.payment},
	} {
		one, err := inRounds(ctx, u.Host, call.next)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %.0f | %s | %s |\n", t.engine, call.name, one.perSecond, short(one.p50), short(one.p99))
	}
	return b.proof(ctx, t)
}

// owing charges every student more than the benchmark pays, and creates 60 entries
// for another student, whom it returns.
func (b *bursar) owing(ctx context.Context) (string, error) {
	client := b.client()
	holder, others := b.students[0], b.students[1:]
	b.students = others
	call := func(path string, data feetest.Object) error {
		status, out, err := client.Call(ctx, "POST", feePath+path, data)
		if err == nil && status != http.StatusCreated {
			err = fmt.Errorf("%s: %d %v", path, status, out)
		}
		return err
	}
	for _, student := range others {
		charge := feetest.Object{"studentId": student, "name": "Tuition", "amount": json.Number("9999999999.99")}
		if err := call("charge/create", charge); err != nil {
			return "", err
		}
	}
	for range 30 {
		err := errors.Join(call("charge/create", feetest.Object{"studentId": holder, "name": "Tuition", "amount": 150}),
			call("collection/record", feetest.Object{"studentId": holder, "amount": 150, "method": "CASH"}))
		if err != nil {
			return "", err
		}
	}
	return holder, nil
}

// payment returns a request with a random payment for a random student.
func (b *bursar) payment() []byte {
	body := fmt.Appendf(nil, `{"data":{"studentId":%q,"amount":%d.%02d,"method":"CASH"}}`, b.students[rand.N(len(b.students))],
		1+rand.N(50), rand.N(100))
	return post(feePath+"collection/record", b.token, body)
}
