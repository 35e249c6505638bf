import{a,b,c}from"./chunk-TRWTC3EB.js";import"./chunk-QUY4WPTP.js";import"./chunk-VHL7PRG6.js";import"./chunk-CZ34JW3V.js";import"./chunk-BYYGTQDX.js";c();export{a as GuardianTabs,b as default};
