import{a,b,c}from"./chunk-UEP3EM35.js";import"./chunk-SEIYMVQN.js";import"./chunk-HBSNYSP3.js";import"./chunk-J2UTMAGN.js";import"./chunk-4SB6D7PQ.js";c();export{a as AuditTabs,b as default};
