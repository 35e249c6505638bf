import{a,b,c}from"./chunk-7LO5TJ5C.js";import"./chunk-PZAHX33L.js";import"./chunk-HRZRTH7Z.js";import"./chunk-HB2TWUH7.js";import"./chunk-2WWN6WQ5.js";c();export{a as AuditTabs,b as default};
