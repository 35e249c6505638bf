package exam_test

// Where files are sent to and had from.
const csvPath = "/school-admin/exam/result/upload"

func cardPDF(student string) string {
	return "/school-admin/exam/report-card/" + student + "?format=pdf&"
}

const childPDF = "/parent/exam/report-card?format=pdf&"
