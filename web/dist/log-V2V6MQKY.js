import{a,b,c}from"./chunk-24WPDNVY.js";import"./chunk-UEQMY7AC.js";import"./chunk-VHL7PRG6.js";import"./chunk-CZ34JW3V.js";import"./chunk-BYYGTQDX.js";c();export{a as AuditTabs,b as default};
