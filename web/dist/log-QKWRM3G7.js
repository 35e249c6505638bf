import{a,b,c}from"./chunk-ACXR564I.js";import"./chunk-EI4746DL.js";import"./chunk-CCRMUCX4.js";import"./chunk-IMSPZAO4.js";import"./chunk-SM5NGPOV.js";c();export{a as AuditTabs,b as default};
