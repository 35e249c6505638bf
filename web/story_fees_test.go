package webapp_test

import (
	"fmt"
)

var feeStories = []story{
	{"fee structure", addStructure},
	{"charging wizard", chargeClass},
	{"payment", takePayment},
	{"concession", grantConcession},
	{"reversal", reverseReceipt},
	{"refund", payRefund},
	{"reminder", remindFamily},
}

func addStructure(o *office) {
	home := o.newClass("Priced")
	o.at("/app/fees/structures/new", "A new fee structure")
	o.Chooses("Class", "Priced")
	o.Fills("For what, line 1", "Fencing")
	o.Fills("Amount, line 1", "1,250.50")
	o.Clicks("button", "Add a line")
	o.Fills("For what, line 2", "Robes")
	o.Fills("Amount, line 2", "80")
	o.Chooses("How often, line 2", "once")
	o.Chooses("When late", "a fine once")
	o.Fills("Fine", "15")
	o.Fills("Days of grace", "5")
	o.Clicks("button", "Save the fee structure")
	o.Sees("The fee structure of Priced is saved.")
	s := o.get("fee/structure/" + home.id)
	var items []string
	for _, i := range s.Objects("items") {
		items = append(items, fmt.Sprint(i["feeHead"], " ", i["amount"], " ", i["frequency"]))
	}
	o.eq("items", items, "[Fencing 1250.5 MONTHLY Robes 80 ONCE]")
	o.eq("fine", fmt.Sprint(s.Object("lateFine")["flat"], " ", s.Object("lateFine")["graceDays"]), "15 5")
	o.eq("charges before charging", o.get("fee/charge/list?classId=" + home.id)["total"], "0")
}

// owing makes a class with a student who was charged an amount, and returns the student.
func (o *office) owing(name string, amount float64) string {
	o.T.Helper()
	id := o.student(name, o.newClass("Class of "+name), "+1555930"+fmt.Sprintf("%04d", o.count()))
	head := o.find("fee/head/list", "Tuition")[0].Text("id")
	o.make("fee/charge/create", m{"studentId": id, "feeHeadId": head, "amount": amount, "dueDate": o.day(-3)})
	return id
}

// owes returns what is due from a student, and what was paid.
func (o *office) owes(student string) string {
	o.T.Helper()
	totals := o.get("fee/report/" + student).Object("totals")
	return fmt.Sprint(totals["due"], " due, ", totals["paid"], " paid")
}

func chargeClass(o *office) {
	home := o.newClass("Charged")
	ann := o.student("Ann Charge", home, "")
	o.student("Ben Charge", home, "")
	sailing := m{"name": "Sailing", "amount": 70, "frequency": "MONTHLY", "dueDay": 10}
	o.make("fee/structure/create", m{"classId": home.id, "items": list{sailing}})
	o.at("/app/fees/charge?classId="+home.id, "Charge fees")
	o.Sees("2 students attend.", "Sailing")
	o.Clicks("button", "Charge 2 students")
	o.Finds("heading", "2 charges of $140.00 were made")
	o.eq("Ann owes", o.owes(ann), "70 due, 0 paid")
	o.Clicks("button", "Charge another")
	o.Clicks("button", "Charge 2 students")
	o.Finds("heading", "Nothing new was charged")
	o.eq("Ann still owes", o.owes(ann), "70 due, 0 paid")
}

func takePayment(o *office) {
	id := o.owing("Pia Pays", 90)
	o.goes("/app/fees/counter?student=" + id)
	o.Finds("region", "Receipt")
	o.settles()
	o.Fills("Amount received", "50")
	o.Clicks("radio", "Card")
	o.Fills("Reference", "T-77")
	o.Clicks("button", "Take without printing")
	o.Finds("heading", "$50.00 taken")
	o.eq("owes", o.owes(id), "40 due, 50 paid")
	receipt := o.get("fee/collection/list?studentId=" + id).Items()
	o.eq("receipts", len(receipt), "1")
	o.eq("receipt", fmt.Sprint(receipt[0]["method"], " ", receipt[0]["reference"], " ", receipt[0]["amount"]), "CARD T-77 50")
	o.undo(fmt.Sprintf("$50.00 taken, receipt %s.", receipt[0]["number"]))
	o.eq("owes after undo", o.owes(id), "90 due, 0 paid")
}

func grantConcession(o *office) {
	id := o.owing("Cleo Concession", 200)
	o.at("/app/fees/concessions", "Concessions")
	o.Clicks("button", "Grant a concession")
	o.Fills("Student", "Cleo Conc")
	o.Clicks("option", "Cleo Concession Class of Cleo Concession A "+o.get("student/"+id).Text("admissionNo"))
	o.Fills("How much", "25")
	o.Fills("Reason optional", "Sibling")
	o.Clicks("button", "Grant the concession")
	o.Sees("Concession of 25 % granted.")
	o.eq("owes", o.owes(id), "150 due, 0 paid")
	o.eq("concessions", o.get("fee/concession/list?studentId=" + id)["total"], "1")
}

// paid takes a payment through the API and returns the receipt's id.
func (o *office) paid(student string, amount float64) string {
	o.T.Helper()
	return o.make("fee/collection/record", m{"payments": list{m{"studentId": student, "amount": amount}}, "method": "CASH"})
}

func reverseReceipt(o *office) {
	id := o.owing("Rob Reverse", 60)
	if o.get("fee/till/mine")["till"] == nil {
		o.make("fee/till/open", m{"float": 0})
	}
	receipt := o.paid(id, 60)
	till := o.get("fee/till/mine")["till"].(m) // once it is closed, a receipt is reversed with a reason
	o.Call(o.T, o.admin, "POST", "/school-admin/fee/till/"+fmt.Sprint(till["id"])+"/close", m{"counted": till["expected"]}).OK()
	o.eq("owes", o.owes(id), "0 due, 60 paid")
	o.at("/app/fees/receipts/"+receipt, "Receipt "+o.get("fee/receipt/"+receipt).Text("number"))
	o.Clicks("button", "Reverse")
	o.Fills("Reason", "The cheque bounced")
	o.Clicks("button", "Reverse $60.00")
	o.Sees("is reversed.")
	o.eq("owes after the reversal", o.owes(id), "60 due, 0 paid")
	got := o.get("fee/receipt/" + receipt)
	o.eq("receipt", fmt.Sprint(got["status"], ": ", got["reversalReason"]), "REVERSED: The cheque bounced")
}

func payRefund(o *office) {
	id := o.owing("Ray Refund", 30)
	o.paid(id, 100)
	o.at("/app/fees/refunds", "Refunds")
	o.Clicks("button", "Pay a refund")
	o.Fills("Student", "Ray Refund")
	o.Clicks("option", "Ray Refund Class of Ray Refund A "+o.get("student/"+id).Text("admissionNo"))
	o.Fills("Amount optional", "55")
	o.Fills("Reason optional", "Moved away")
	o.Clicks("button", "Pay the refund")
	o.Sees("$55.00 refunded")
	o.eq("refunds", o.get("fee/refund/list?studentId=" + id)["total"], "1")
	o.eq("paid ahead", o.get("fee/report/" + id).Object("totals")["advance"], "15")
	o.Clicks("button", "Close")
}

func remindFamily(o *office) {
	id := o.owing("Dana Due", 45)
	o.at("/app/fees/dues?search=Dana+Due", "Dues")
	o.Clicks("checkbox", "Select Dana Due")
	o.Clicks("button", "Remind 1 family")
	o.Clicks("button", "Send to 1 family")
	o.Sees("1 family is reminded.")
	for _, d := range o.find("fee/report/dues", "Dana Due") {
		o.eq("reminded", d.Text("studentId")+d.Text("remindedOn"), id+o.day(0))
	}
	for _, d := range o.get("fee/report/dues?limit=100").Items() {
		if d.Text("remindedOn") == o.day(0) && d.Text("studentId") != id {
			o.T.Errorf("another family was reminded, too: %v", d)
		}
	}
}
