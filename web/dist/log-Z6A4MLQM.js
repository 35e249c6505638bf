import{a,b,c}from"./chunk-QQERNM2D.js";import"./chunk-QLBQUGQ2.js";import"./chunk-EY42BZZZ.js";import"./chunk-RDVFBOJP.js";import"./chunk-BKMNMJ4E.js";c();export{a as AuditTabs,b as default};
