import{a,b,c}from"./chunk-CFRCJAW5.js";import"./chunk-GKZXQ7CD.js";import"./chunk-HUR3DIF2.js";import"./chunk-2NP4A22Q.js";import"./chunk-3S6HH2FD.js";c();export{a as AuditTabs,b as default};
