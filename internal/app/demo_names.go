package app

import "strings"

// The names of the demo's people come from many places, as in many schools.
var (
	demoGirls = strings.Fields(`Aaliyah Adaeze Aïsha Amélie Anjali Astrid Beatriz Chiara Chloé Diya Elif Emma Esther Fatima
		Freya Grace Hana Ingrid Isabella Jiayi Kateřina Khadija Lakshmi Lucía Mei Mía Naledi Noor Olivia Priya Ruth Saanvi
		Sakura Siobhán Sofía Søs Tala Thandiwe Yara Zoë Zuzanna Ximena Māra Ülkü Дарья Ольга Ελένη मीरा 小雨 지우`)
	demoBoys = strings.Fields(`Aarav Abdullah Ade Ahmed Ángel Arjun Björn Carlos Chidi Dae-jung Daniel Diego Elijah Emre Finn
		Gabriel Haruto Henry Ibrahim Iñaki Ishaan James José Kai Kofi Kwame Liam Luca Mateo Mihai Mohammed Muhammad Nikhil Noah
		Oisín Omar Pavel Rafael Rohan Samuel Sean Søren Tariq Thabo Theo Tomás Václav Wei Yusuf Zhang Łukasz Иван Γιώργος अर्जुन 浩然`)
	demoLastNames = strings.Fields(`Abebe Adeyemi Ali Andersson Bajwa Banerjee Begum Bianchi Brown Castillo Çelik Chen Costa Davies
		Demir Desai Diallo Dlamini Dvořák Eze Fernández Fischer Ferreira García Gómez Gonçalves Gupta Haddad Hansen Hernández
		Hussein Ivanova Iyer Jackson Jansen Johansson Kaya Khan Kim Kowalski Kumar Lê Lindqvist López Mahlangu Martínez Mbeki Mehta
		Mendoza Miller Moreau Müller Nair Ngata Nguyễn Novák Núñez Nwosu O'Brien Okonkwo Øberg Östberg Papadopoulou Park Patel Peña
		Pereira Petrov Reddy Rodríguez Rossi Sánchez Schmidt Sharma Singh Škoda Smith Suzuki Szabó Takahashi Tamm Taylor Tran Uzun
		Vargas Villanueva Walker Wang Weiß Williams Wójcik Yılmaz Zhou Żak Попова Αλεξίου शर्मा 李 박`)
)

var (
	demoStreets = []string{"Mill Lane", "Church Road", "Orchard Street", "Station Road", "Park Avenue", "Hill View", "Lakeside",
		"Garden Row"}
	demoBloodGroups  = []string{"A+", "A-", "B+", "B-", "AB+", "O+", "O+", "O-"}
	demoMedicalNotes = []string{"Peanut allergy: carries an auto-injector.", "Asthma: inhaler in the school bag.",
		"Wears glasses; sits in front.", "Type 1 diabetes: plan with the office."}
	demoRideNotes = map[string]string{demoMedicalNotes[0]: "Peanut allergy: auto-injector in the front pocket of the bag.",
		demoMedicalNotes[1]: "Asthma: inhaler in the school bag."}
	demoStopNames = []string{"Quarry Gate", "Mill Lane", "Chapel Corner", "Station Road", "Library", "Park Avenue",
		"Lakeside", "Garden Row", "Market Square", "Hill View", "Old Bridge", "Clock Tower"}
)
