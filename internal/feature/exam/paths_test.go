package exam_test

// Where files are sent to and had from.
const csvPath = "/school-admin/exam/result/import"

func cardPDF(student string) string { return "/school-admin/exam/report-card/" + student + "/pdf?" }

const childPDF = "/parent/exam/report-card/pdf?"
