package app_test

// electiveProbes are those of the module; see probes.
var electiveProbes = []probe{
	{route: "PUT /school-admin/elective/{classId}/{subjectId}", path: []string{"$class", "$subject"}, body: m{"studentIds": list{"$student"}}},
	{route: "GET /school-admin/elective/list", body: m{"filters": m{"classId": "$class", "subjectId": "$subject", "studentId": "$student",
		"academicYearId": "$year"}}},
	{route: "GET /school-admin/elective/{classId}/{subjectId}", path: []string{"$class", "$subject"}},
	{route: "DELETE /school-admin/elective/{classId}/{subjectId}", path: []string{"$class", "$subject"}},
}
