package exam_test

// The paths of uploads and report cards.
const csvPath = "/school-admin/exam/result/upload"

func cardPDF(student string) string {
	return "/school-admin/exam/report-card/" + student + "?format=pdf&"
}

const childPDF = "/parent/exam/report-card?format=pdf&"
