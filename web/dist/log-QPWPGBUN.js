import{a,b,c}from"./chunk-AZIRNPDT.js";import"./chunk-TWNJDX62.js";import"./chunk-IAHQ7O75.js";import"./chunk-76DUVBSG.js";import"./chunk-57WFRSBU.js";c();export{a as AuditTabs,b as default};
