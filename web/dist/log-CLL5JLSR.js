import{a,b,c}from"./chunk-5YA23THY.js";import"./chunk-7B7OAVLT.js";import"./chunk-LEGS6CT3.js";import"./chunk-M3RP2JZD.js";import"./chunk-HCVERMU2.js";c();export{a as AuditTabs,b as default};
