import{a,b,c}from"./chunk-NI6XDCUQ.js";import"./chunk-KRUVLND4.js";import"./chunk-VJHL7HOL.js";import"./chunk-PBBO7CRS.js";import"./chunk-EVZR4T6Z.js";c();export{a as AuditTabs,b as default};
