import{a,b,c}from"./chunk-7WCUZOWP.js";import"./chunk-VRKHHZYM.js";import"./chunk-Y7MX5QIU.js";import"./chunk-J2XZZSFE.js";import"./chunk-CLELO4DU.js";c();export{a as AuditTabs,b as default};
