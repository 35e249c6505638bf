package app_test

import (
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/id"
)

// feeProbes are those of the module; see probes.
var feeProbes = []probe{
	{route: "GET /school-admin/fee/head/{id}", path: []string{"$feeHead"}},
	{route: "PUT /school-admin/fee/head/{id}", path: []string{"$feeHead"}, body: m{"code": "C"}},
	{route: "POST /school-admin/fee/structure/create", body: m{"classId": "$spareClass", "academicYearId": "$year",
		"items": list{m{"feeHeadId": "$feeHead", "amount": 1}}}},
	{route: "GET /school-admin/fee/structure/list", body: m{"filters": m{"classId": "$class", "academicYearId": "$year"}}},
	{route: "GET /school-admin/fee/structure/{id}", path: []string{"$class"}},
	{route: "PUT /school-admin/fee/structure/{id}", path: []string{"$feeStructure"},
		body: m{"items": list{m{"id": "$feeItem", "feeHeadId": "$feeHead", "amount": 10}}}},
	{route: "GET /school-admin/fee/student/{studentId}", path: []string{"$student"}},
	{route: "PUT /school-admin/fee/student/{studentId}", path: []string{"$student"}, body: m{"optionalItemIds": list{"$feeItem"}}},

	{route: "POST /school-admin/fee/charge/generate", body: m{"classId": "$class", "academicYearId": "$year"}},
	{route: "POST /school-admin/fee/charge/generate", body: m{"studentIds": list{"$student", "$spareStudent"}}},
	{route: "POST /school-admin/fee/charge/create", body: m{"studentId": "$student", "feeHeadId": "$feeHead", "amount": 1}},
	{route: "GET /school-admin/fee/charge/list", body: m{"filters": m{"studentId": "$student", "classId": "$class", "feeHeadId": "$feeHead",
		"academicYearId": "$year"}}},
	{route: "GET /school-admin/fee/charge/{id}", path: []string{"$charge"}},
	{route: "POST /school-admin/fee/opening/create", body: m{"studentId": "$student", "owed": 1}},
	{route: "GET /school-admin/fee/opening/list", body: m{"filters": m{"studentId": "$spareStudent"}}},
	{route: "POST /school-admin/fee/concession/grant", body: m{"studentId": "$student", "feeHeadId": "$feeHead", "academicYearId": "$year",
		"amount": 1}},
	{route: "GET /school-admin/fee/concession/list", body: m{"filters": m{"studentId": "$student", "feeHeadId": "$feeHead"}}},

	{route: "POST /school-admin/fee/collection/record", body: m{"studentId": "$student", "amount": 2, "method": "CASH",
		"allocations": list{m{"chargeId": "$charge", "amount": 1}}}},
	{route: "POST /school-admin/fee/collection/record", body: m{"method": "CASH",
		"payments": list{m{"studentId": "$student", "amount": 1}, m{"studentId": "$spareStudent", "amount": 1}}}},
	{route: "GET /school-admin/fee/collection/list", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /school-admin/fee/receipt/{id}", path: []string{"$receipt"}},
	{route: "POST /school-admin/fee/refund/create", body: m{"studentId": "$spareStudent", "method": "CASH", "amount": 1}},
	{route: "GET /school-admin/fee/refund/list", body: m{"filters": m{"studentId": "$spareStudent"}}},
	{route: "POST /school-admin/fee/reminder/send", body: m{"studentIds": list{"$student", "$spareStudent"}}},
	{route: "POST /school-admin/fee/reminder/send", body: m{"classId": "$class"}},
	{route: "POST /school-admin/fee/reminder/preview", body: m{"studentIds": list{"$student", "$spareStudent"}}},
	{route: "POST /school-admin/fee/reminder/preview", body: m{"classId": "$class"}},

	{route: "GET /school-admin/fee/report/{studentId}", path: []string{"$student"}},
	{route: "GET /school-admin/fee/report/{studentId}", path: []string{"$student"}, body: m{"format": "pdf"}},
	{route: "GET /school-admin/fee/report/{studentId}/export", path: []string{"$student"}},
	{route: "GET /school-admin/fee/report/dues", body: m{"filters": m{"classId": "$class", "divisionId": "$division"}}},
	{route: "GET /school-admin/fee/report/dues/export", body: m{"classId": "$class", "divisionId": "$division"}},

	{route: "GET /parent/fee/list", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /parent/fee/summary", body: m{"studentId": "$student"}},
	{route: "GET /parent/fee/statement", body: m{"studentId": "$student"}},
	{route: "GET /parent/fee/statement", body: m{"studentId": "$student", "format": "pdf"}},
	{route: "GET /parent/fee/receipts", body: m{"filters": m{"studentId": "$student"}}},
	{route: "GET /parent/fee/receipt/{id}", path: []string{"$receipt"}, body: m{"studentId": "$student"}},

	{route: "POST /school-admin/fee/concession/{id}/revoke", path: []string{"$concession"}, body: m{"reason": "x"}},
	{route: "POST /school-admin/fee/opening/{id}/cancel", path: []string{"$opening"}, body: m{"reason": "x"}},
	{route: "POST /school-admin/fee/charge/{id}/void", path: []string{"$charge"}, body: m{"reason": "x"}},
	{route: "GET /school-admin/fee/till/list", body: m{"filters": m{"userId": "$cashier"}}},
	{route: "GET /school-admin/fee/till/{id}", path: []string{"$till"}},
	{route: "PUT /school-admin/fee/till/{id}", path: []string{"$till"}, body: m{"float": 5}},
	{route: "POST /school-admin/fee/collection/{id}/undo", path: []string{"$freshReceipt"}, body: m{}},
	{route: "POST /school-admin/fee/till/{id}/close", path: []string{"$till"}, body: m{"counted": 1, "note": "x"}},
	{route: "POST /school-admin/fee/till/{id}/reopen", path: []string{"$till"}, body: m{"reason": "x"}},
	{route: "POST /school-admin/fee/collection/{id}/reverse", path: []string{"$receipt"}, body: m{"reason": "x"}},
	{route: "GET /school-admin/fee/refund/{id}", path: []string{"$refund"}},
	{route: "POST /school-admin/fee/refund/{id}/reverse", path: []string{"$refund"}, body: m{"reason": "x"}},
	{route: "DELETE /school-admin/fee/structure/{id}", path: []string{"$feeStructure"}},
	{route: "DELETE /school-admin/fee/head/{id}", path: []string{"$feeHead"}},
}

// furnishFee creates the records that the probes name.
func furnishFee(t *testing.T, s *apptest.Service, at apptest.School, f fixtures) {
	t.Helper()
	post := func(path string, body m) apptest.Object {
		return s.Call(t, at.Admin, "POST", "/school-admin/fee/"+path, body).OK()
	}
	f["feeHead"] = id.ID(post("head/create", m{"name": "Books"}).Text("id"))
	structure := post("structure/create", m{"classId": f["class"], "items": list{m{"feeHeadId": f["feeHead"], "amount": 10}}})
	f["feeStructure"] = id.ID(structure.Text("id"))
	f["feeItem"] = id.ID(structure["items"].([]any)[0].(m)["id"].(string))
	f["charge"] = id.ID(post("charge/create", m{"studentId": f["student"], "feeHeadId": f["feeHead"], "amount": 1000}).Text("id"))
	f["concession"] = id.ID(post("concession/grant", m{"studentId": f["student"], "amount": 5}).Text("id"))
	f["receipt"] = id.ID(post("collection/record", m{"studentId": f["student"], "amount": 7, "method": "CASH"}).Text("id"))
	post("collection/record", m{"studentId": f["spareStudent"], "amount": 7, "method": "CASH"})
	f["cashier"] = at.Admin.ID
	f["till"] = id.ID(post("till/open", m{"float": 5}).Text("id"))
	f["freshReceipt"] = id.ID(post("collection/record", m{"studentId": f["student"], "amount": 3, "method": "CASH"}).Text("id"))
	f["opening"] = id.ID(post("opening/create", m{"studentId": f["spareStudent"], "advance": 3}).Text("id"))
	f["refund"] = id.ID(post("refund/create", m{"studentId": f["spareStudent"], "amount": 1, "method": "CASH"}).Text("id"))
}
