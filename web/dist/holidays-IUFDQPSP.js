import{a,b,c}from"./chunk-XMLSRNQT.js";import"./chunk-VHL7PRG6.js";import"./chunk-I4OVLW2N.js";import"./chunk-CZ34JW3V.js";import"./chunk-BYYGTQDX.js";c();export{a as CalendarTabs,b as default};
